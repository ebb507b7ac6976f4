// SPDX-License-Identifier: Apache-2.0
// The shape of a launch, and the errors of impossible launches. Host side.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/gpu_properties.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace finesync::inline FINESYNC_ABI {

/// Of a grid, in blocks, or of a block, in threads.
struct extents {
  unsigned x;
  unsigned y = 1;
  unsigned z = 1;

  constexpr unsigned number() const { return x * y * z; }
};

/// One-dimensional grid of one-dimensional blocks, unless it has extents (in_dimensions()).
struct launch_shape {
  unsigned blocks = 1;                ///< in all
  unsigned threads_per_block = 32;    ///< in all
  std::size_t shared_bytes = 0;       ///< sizeof the kernel's shared_storage struct
  unsigned cluster_blocks = 1;        ///< blocks per cluster (cluster.cuh), neighbours in x
  std::optional<extents> grid = {};   ///< as many as `blocks`
  std::optional<extents> block = {};  ///< as many as `threads_per_block`

  constexpr extents grid_extents() const { return grid.value_or(extents{blocks}); }
  constexpr extents block_extents() const { return block.value_or(extents{threads_per_block}); }
};

/// A grid and blocks of two or three dimensions: in_dimensions({2, 3}, {8, 4}).
constexpr launch_shape in_dimensions(const extents& grid, const extents& block) {
  return {
      .blocks = grid.number(), .threads_per_block = block.number(), .grid = grid, .block = block};
}

/// \throws launch_error if the extents have other blocks or threads than the shape.
inline void check_extents(const launch_shape& shape) {
  const auto check = [](unsigned extents, unsigned in_all, const char* what) {
    if (extents == in_all) return;
    throw launch_error("extents of " + std::to_string(extents) + what + " in a shape of " +
                       std::to_string(in_all));
  };
  check(shape.grid_extents().number(), shape.blocks, " blocks");
  check(shape.block_extents().number(), shape.threads_per_block, " threads");
}

/// \returns the shape. \throws launch_error unless it has blocks of 1 to 1,024 threads.
inline const launch_shape& checked(const launch_shape& shape) {
  constexpr unsigned max_threads = 1024;
  if (shape.blocks == 0) throw launch_error("a grid of 0 blocks");
  if (shape.threads_per_block == 0 || shape.threads_per_block > max_threads) {
    throw launch_error("blocks of " + std::to_string(shape.threads_per_block) +
                       " threads: a block has 1 to " + std::to_string(max_threads));
  }
  return shape;
}

/// \throws launch_error with what an SM lacks for a single block of the shape.
[[noreturn]] inline void refuse_block(const launch_shape& shape) {
  const gpu_properties gpu = current_gpu();
  const std::string sm = "an SM of " + gpu.name;
  const std::string block = "a block of " + std::to_string(shape.threads_per_block) + " threads";
  if (shape.threads_per_block > static_cast<unsigned>(gpu.max_threads_per_sm)) {
    throw launch_error(sm + " holds " + std::to_string(gpu.max_threads_per_sm) +
                       " threads, fewer than " + block);
  }
  if (shape.shared_bytes > gpu.shared_bytes_per_block) {
    throw launch_error(sm + " has " + std::to_string(gpu.shared_bytes_per_block) +
                       " bytes of shared memory for a block, and " + block + " needs " +
                       std::to_string(shape.shared_bytes));
  }
  throw launch_error(sm + " has no room for " + block);
}

/// \throws launch_error with why the machine has no clusters of the shape.
[[noreturn]] inline void refuse_clusters(const launch_shape& shape) {
  const gpu_properties gpu = current_gpu();
  const std::string clusters = "clusters of " + std::to_string(shape.cluster_blocks) + " blocks";
  constexpr double hopper = 9.0;
  if (std::stod(gpu.compute_capability) < hopper) {
    throw launch_error(clusters +
                       ": this machine has no clusters, which need compute capability 9.0 or "
                       "later");
  }
  throw launch_error(clusters + ": not even one fits on " + gpu.name);
}

/// \throws launch_error with the number of blocks of the shape that fit, or why none does.
[[noreturn]] inline void refuse_launch(const launch_shape& shape, unsigned fitting) {
  if (fitting == 0 && shape.cluster_blocks == 1) refuse_block(shape);
  if (fitting == 0) refuse_clusters(shape);
  const std::string clusters =
      shape.cluster_blocks == 1 ? "" : " in clusters of " + std::to_string(shape.cluster_blocks);
  const std::string shared =
      shape.shared_bytes == 0
          ? ""
          : " and " + std::to_string(shape.shared_bytes) + " bytes of shared memory";
  throw launch_error("a grid of " + std::to_string(shape.blocks) + " blocks of " +
                     std::to_string(shape.threads_per_block) + " threads" + shared + clusters +
                     " cannot be co-resident: at most " + std::to_string(fitting) +
                     " blocks of this shape fit on this GPU");
}

/// \throws launch_error unless the grid divides into clusters and the machine has clusters.
inline void check_clusters(const launch_shape& shape, bool machine_has_clusters) {
  if (shape.cluster_blocks == 1) return;
  if (!machine_has_clusters) refuse_clusters(shape);
  const unsigned blocks = shape.grid_extents().x;
  if (shape.cluster_blocks == 0 || blocks % shape.cluster_blocks != 0) {
    throw launch_error(
        "a grid of " + std::to_string(blocks) + (shape.grid ? " blocks in x" : " blocks") +
        " does not divide into clusters of " + std::to_string(shape.cluster_blocks) + " blocks");
  }
}

}  // namespace finesync::inline FINESYNC_ABI
