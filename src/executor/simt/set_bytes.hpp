// SPDX-License-Identifier: Apache-2.0
// Which bytes of a range of memory something has set: one bit for each. The bits take memory only
// where one was set.
#pragma once

#include <simt/host_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace simt {

class set_bytes {
 public:
  static constexpr std::size_t most_at_once = 16;

  /// None is set. \throws out_of_memory
  explicit set_bytes(std::size_t bytes);
  ~set_bytes();
  set_bytes(const set_bytes&) = delete;
  set_bytes& operator=(const set_bytes&) = delete;

  /// Whether all of 1 to 16 bytes are set.
  bool has(std::uint64_t at, std::size_t bytes) const {
    return (bits_at(at) & mask(at, bytes)) == mask(at, bytes);
  }
  /// Whether any of them is.
  bool has_any(std::uint64_t at, std::size_t bytes) const {
    return (bits_at(at) & mask(at, bytes)) != 0;
  }
  /// Sets them. Most stores are to bytes that are set.
  void add(std::uint64_t at, std::size_t bytes) {
    if (!has(at, bytes)) put(at, mask(at, bytes), ~std::uint32_t{0});
  }

  // Of any number of bytes.
  /// Whether any byte is set. `at` is a multiple of 8, and so is `bytes`, or what follows is not
  /// set.
  bool has_any_of(std::uint64_t at, std::size_t bytes) const;
  void fill(std::uint64_t at, std::size_t bytes);
  void clear(std::uint64_t at, std::size_t bytes);
  /// As a copy of the bytes does it: those of the target are set whose sources are. Of sides that
  /// overlap all are.
  void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes);

 private:
  static std::uint32_t mask(std::uint64_t at, std::size_t bytes) {
    return ((std::uint32_t{1} << bytes) - 1) << at % 8;
  }
  std::uint32_t bits_at(std::uint64_t at) const {
    std::uint32_t bits;
    std::memcpy(&bits, bits_ + at / 8, sizeof bits);
    return bits;
  }
  /// Replaces the bits of the mask.
  void put(std::uint64_t at, std::uint32_t which, std::uint32_t bits) {
    const std::uint32_t now = (bits_at(at) & ~which) | (bits & which);
    std::memcpy(bits_ + at / 8, &now, sizeof now);
  }
  void put_all(std::uint64_t at, std::size_t bytes, bool are_set);

  address_range range_;
  std::byte* bits_;
};

}  // namespace simt
