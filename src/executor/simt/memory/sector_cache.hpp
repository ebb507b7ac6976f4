// SPDX-License-Identifier: Apache-2.0
// A cache of global memory in weak memory: the L1 of a block, or the L2 of one GPU of several.
// Stores from elsewhere do not reach it, so it may hold old values; its own are written through.
#pragma once

#include <simt/arena.hpp>
#include <simt/operation.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace simt {

/// The oldest sectors that a reader may still find in the two caches.
struct cache_view {
  std::uint64_t l1 = 0;
  std::uint64_t l2 = 0;
};

class sector_cache {
 public:
  static constexpr std::size_t sector_bytes = 32;

  /// Reads `address` for a reader to which sectors fetched before `oldest` are out of date. `now`
  /// is the time of sectors fetched from memory for this read.
  word read(const void* address, std::size_t bytes, std::uint64_t oldest, std::uint64_t now);

  /// The same of an L1: what it lacks comes from `l2`, as old as it is there.
  word read(const void* address, std::size_t bytes, const cache_view& oldest, std::uint64_t now,
            sector_cache& l2);

  /// A store by its block, or its GPU.
  void write(const void* address, std::size_t bytes, const word& value);

  /// Drops what it holds of `bytes` at `address`.
  void drop(const void* address, std::size_t bytes);

 private:
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};

  struct sector {
    std::uint64_t tag = nothing;
    std::uint64_t fetched = 0;
    std::array<std::byte, sector_bytes> data{};
  };

  sector& place_of(std::uint64_t tag) { return sectors_[tag % sectors_.size()]; }

  /// The sector, with this data, fetched no earlier than `oldest`.
  const sector& up_to_date(std::uint64_t tag, const std::byte* data, std::uint64_t oldest,
                           std::uint64_t now);

  /// Calls part(address, sector's tag, offset in the sector, bytes) for each sector touched.
  template <class Part>
  void for_each_sector(const void* address, std::size_t bytes, Part part) const;

  /// A word of the sectors that find(tag, the sector's data in memory) returns.
  template <class Find>
  word read_from(const void* address, std::size_t bytes, Find find) const;

  const arena& global_ = global_memory();
  std::array<sector, 64> sectors_{};
};

}  // namespace simt
