// How the steps of all tiles are split over the blocks.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::stream_k {

/// Steps of one tile that one block has.
struct piece {
  unsigned tile;
  unsigned begin;  ///< of the tile's steps
  unsigned end;
  unsigned first_block;  ///< that has steps of this tile
  unsigned last_block;

  __host__ __device__ bool is_whole_tile() const { return first_block == last_block; }
  __host__ __device__ unsigned steps() const { return end - begin; }
};

/// The steps of all tiles in a row, cut into a part for each block: no two differ by more than one.
struct even_split {
  unsigned tiles;
  unsigned depth;   ///< steps of a tile
  unsigned blocks;  ///< at most as many as steps

  __host__ __device__ unsigned steps() const { return tiles * depth; }

  __host__ __device__ unsigned begin_of(unsigned block) const {
    return static_cast<unsigned>(std::uint64_t{block} * steps() / blocks);
  }
  __host__ __device__ unsigned block_of(unsigned step) const {
    return static_cast<unsigned>(((std::uint64_t{step} + 1) * blocks - 1) / steps());
  }

  /// The last piece of a block in front of step `end`, one of its steps but the first, or its end.
  __host__ __device__ piece piece_before(unsigned block, unsigned end) const {
    const unsigned tile = (end - 1) / depth;
    const unsigned first = tile * depth;
    const unsigned begin = begin_of(block) > first ? begin_of(block) : first;
    return {.tile = tile,
            .begin = begin - first,
            .end = end - first,
            .first_block = block_of(first),
            .last_block = block_of(first + depth - 1)};
  }
};

}  // namespace finesync::stream_k
