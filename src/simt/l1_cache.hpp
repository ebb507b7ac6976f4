// The L1 through which a block reads global memory in weak memory. Stores of other blocks do not
// reach it, so it may hold old values; stores of its own block are written through.
#pragma once

#include <simt/arena.hpp>
#include <simt/operation.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace simt {

class l1_cache {
 public:
  /// Reads `address` for a reader to which sectors fetched before `oldest` are out of date. `now`
  /// is the time of sectors fetched for this read.
  word read(const void* address, std::size_t bytes, std::uint64_t oldest, std::uint64_t now);

  /// A store by the block itself.
  void write(const void* address, std::size_t bytes, const word& value);

  /// Drops what it holds of `bytes` at `address`.
  void drop(const void* address, std::size_t bytes);

 private:
  static constexpr std::size_t sector_bytes = 32;
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};

  struct sector {
    std::uint64_t tag = nothing;
    std::uint64_t fetched = 0;
    std::array<std::byte, sector_bytes> data{};
  };

  sector& place_of(std::uint64_t tag) { return sectors_[tag % sectors_.size()]; }

  /// Calls part(address, sector's tag, offset in the sector, bytes) for each sector touched.
  template <class Part>
  void for_each_sector(const void* address, std::size_t bytes, Part part) const;

  const arena& global_ = global_memory();
  std::array<sector, 64> sectors_{};
};

}  // namespace simt
