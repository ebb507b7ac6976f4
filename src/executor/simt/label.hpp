// SPDX-License-Identifier: Apache-2.0
// What reports call an allocation: by its name, or by its number, and by what it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <typeinfo>

namespace simt {

/// What the owner of an allocation says of it.
struct label {
  std::string name;                      ///< empty: reports count the allocations
  const std::type_info* type = nullptr;  ///< of its elements; null: bytes
  std::size_t element_bytes = 1;
  /// What it is, in place of "buffer" and its name: "2nd cudaMalloc". Reports then count bytes.
  std::string called = {};
  /// Of memory that holds objects: the one with the byte at an offset ("event 3 of 'scale'"), and
  /// what waits for it have seen and want ("holds round 3, round 1 is awaited").
  std::function<std::string(std::size_t offset)> object = {};
  std::function<std::string(std::uint64_t seen, std::uint64_t wanted)> state = {};
};

/// "buffer 'queue'", or "buffer 2 (768 x unsigned int)"
std::string short_text(const label& what, std::size_t number, std::size_t bytes);

/// "buffer 'queue' (768 x unsigned int)", or as short_text()
std::string full_text(const label& what, std::size_t number, std::size_t bytes);

/// "buffer 'queue' + 0x20 (element 8)", or "2nd cudaMalloc, byte 0 of 4096", or an object
std::string place_text(const label& what, std::size_t number, std::size_t bytes,
                       std::size_t offset);

}  // namespace simt
