// SPDX-License-Identifier: Apache-2.0
// Which blocks of a launch belong to which grid, and which grids to which GPU.
#pragma once

#include <simt/coordinates.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace simt {

/// One grid of a launch.
struct grid_on_gpu {
  void* context = nullptr;  ///< what its threads are called with
  std::uint32_t gpu = 0;
};

/// In how many of a launch's blocks races are looked for: whole clusters. \param wanted 0: all
constexpr std::uint32_t checked_blocks(std::uint32_t wanted, std::uint32_t cluster_blocks,
                                       std::uint32_t blocks) {
  const std::uint64_t clusters = (std::uint64_t{wanted} + cluster_blocks - 1) / cluster_blocks;
  const std::uint64_t whole = std::min<std::uint64_t>(clusters * cluster_blocks, blocks);
  return wanted == 0 ? blocks : static_cast<std::uint32_t>(whole);
}

/// The blocks of a launch are numbered grid by grid; all grids have one shape.
class grid_layout {
 public:
  /// \param blocks of each grid. \param cluster divides them.
  grid_layout(std::span<const grid_on_gpu> grids, const coordinates& blocks,
              const coordinates& cluster);

  std::uint32_t blocks() const {
    return static_cast<std::uint32_t>(grids_.size()) * blocks_per_grid_;
  }
  std::uint32_t gpus() const { return gpus_; }
  bool has_several_gpus() const { return gpus_ > 1; }

  const grid_on_gpu& grid_of(std::uint32_t block) const { return grids_[block / blocks_per_grid_]; }
  std::uint32_t gpu_of(std::uint32_t block) const { return grid_of(block).gpu; }
  /// Its linear index in its grid.
  std::uint32_t place_in_grid(std::uint32_t block) const { return block % blocks_per_grid_; }
  std::uint32_t cluster_blocks() const { return cluster_blocks_; }
  /// The number of its cluster in the launch, grid by grid.
  std::uint32_t cluster_of(std::uint32_t block) const {
    return is_in_order_ ? block / cluster_blocks_ : cluster_of_box(block);
  }
  /// The block at this place if clusters follow one another, and in each its blocks.
  std::uint32_t block_at(std::uint32_t place) const;
  /// How many blocks of its GPU have lower numbers.
  std::uint32_t place_on_gpu(std::uint32_t block) const;
  /// Of the GPU with the most.
  std::uint32_t most_blocks_on_a_gpu() const;

  /// "block 3"; with several grids "block 3 of GPU 1", or "block 3 of grid 1" if a GPU has several.
  std::string name_of(std::uint32_t block) const;

 private:
  std::uint32_t cluster_of_box(std::uint32_t block) const;

  std::vector<grid_on_gpu> grids_;
  coordinates shape_;  ///< of each grid
  coordinates cluster_;
  std::uint32_t blocks_per_grid_;
  std::uint32_t cluster_blocks_;
  bool is_in_order_;  ///< clusters are rows: blocks of one are numbered one after another
  std::uint32_t gpus_ = 1;
};

}  // namespace simt
