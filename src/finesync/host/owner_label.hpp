// SPDX-License-Identifier: Apache-2.0
// What reports call an owner and its objects, in words: of the host executor and of the watchdog.
// Host side; needs no CUDA.
#pragma once

#include "finesync/version.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <typeinfo>
#include <utility>

namespace finesync::inline FINESYNC_ABI {

/// Of a piece of device memory.
struct owner_label {
  std::string name = {};         ///< given by the user; empty: none
  const char* object = nullptr;  ///< "event"; null: reports speak of the memory
  std::size_t object_bytes = 0;  ///< 0: the memory is that of one object
  const char* value = "";        ///< what waits for an object compare: "round"
  /// The object's number, if it is not its place in the memory.
  std::function<std::size_t(std::size_t place)> number = {};
};

/// "event 3 of 'scale'", "event 3", "queue 'jobs'"; empty if it has nothing to say.
inline std::string object_text(const owner_label& of, std::size_t offset) {
  const std::string name = of.name.empty() ? "" : "'" + of.name + "'";
  if (of.object == nullptr || (of.object_bytes == 0 && name.empty())) return {};
  const std::string object = std::string(of.object) + " ";
  if (of.object_bytes == 0) return object + name;
  const std::size_t place = offset / of.object_bytes;
  const std::string number = std::to_string(of.number ? of.number(place) : place);
  return object + number + (name.empty() ? "" : " of " + name);
}

/// "holds round 3, round 1 is awaited"
inline std::string state_text(const owner_label& of, std::uint64_t seen, std::uint64_t wanted) {
  const std::string value = std::string(of.value) + (*of.value == '\0' ? "" : " ");
  return "holds " + value + std::to_string(seen) + ", " + value + std::to_string(wanted) +
         " is awaited";
}

namespace detail {

/// What reports call memory.
struct memory_label {
  owner_label owner;
  const std::type_info* type;  ///< of its elements
  std::size_t element_bytes;
};
template <class Type>
memory_label label_of(const char* name, owner_label owner) {
  owner.name = name;
  return {std::move(owner), &typeid(Type), sizeof(Type)};
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
