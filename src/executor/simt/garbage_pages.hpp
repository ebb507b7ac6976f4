// SPDX-License-Identifier: Apache-2.0
// Garbage for large memory that takes none until it is written: pages of one file, mapped again and
// again, which the system copies at the first write to each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

class garbage_pages {
 public:
  static constexpr std::size_t page = 4096;
  /// The garbage repeats after these bytes. The number of pages is prime, so that words at the
  /// distances that programs have, powers of two above all, differ.
  static constexpr std::size_t period = 4099 * page;

  garbage_pages() = default;
  ~garbage_pages();
  garbage_pages(const garbage_pages&) = delete;
  garbage_pages& operator=(const garbage_pages&) = delete;

  /// Replaces whole pages. \param seed chooses with which page of the file they begin.
  /// \returns false if the system does not do it; they may be any then.
  bool map(std::byte* begin, std::size_t bytes, std::uint64_t seed);

 private:
  bool is_open();

  int file_ = -1;
};

/// Replaces whole pages by zeros, which take no memory until they are written.
/// \returns false if the system does not do it.
bool map_zeros(std::byte* begin, std::size_t bytes);

}  // namespace simt
