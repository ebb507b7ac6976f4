// SPDX-License-Identifier: Apache-2.0
// Which blocks of a launch belong to which grid, and which grids to which GPU.
#pragma once

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

/// The blocks of a launch are numbered grid by grid; all grids have one shape.
class grid_layout {
 public:
  grid_layout(std::span<const grid_on_gpu> grids, std::uint32_t blocks_per_grid);

  std::uint32_t blocks() const {
    return static_cast<std::uint32_t>(grids_.size()) * blocks_per_grid_;
  }
  std::uint32_t gpus() const { return gpus_; }
  bool has_several_gpus() const { return gpus_ > 1; }

  const grid_on_gpu& grid_of(std::uint32_t block) const { return grids_[block / blocks_per_grid_]; }
  std::uint32_t gpu_of(std::uint32_t block) const { return grid_of(block).gpu; }
  /// Its linear index in its grid.
  std::uint32_t place_in_grid(std::uint32_t block) const { return block % blocks_per_grid_; }
  /// How many blocks of its GPU have lower numbers.
  std::uint32_t place_on_gpu(std::uint32_t block) const;
  /// Of the GPU with the most.
  std::uint32_t most_blocks_on_a_gpu() const;

  /// "block 3"; with several grids "block 3 of GPU 1", or "block 3 of grid 1" if a GPU has several.
  std::string name_of(std::uint32_t block) const;

 private:
  std::vector<grid_on_gpu> grids_;
  std::uint32_t blocks_per_grid_;
  std::uint32_t gpus_ = 1;
};

}  // namespace simt
