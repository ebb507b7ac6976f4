// The shape of a launch, and the errors of impossible launches. Host side.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/gpu_properties.hpp"

#include <cstddef>
#include <string>

namespace finesync::inline FINESYNC_ABI {

/// One-dimensional grid of one-dimensional blocks.
struct launch_shape {
  unsigned blocks = 1;
  unsigned threads_per_block = 32;
  std::size_t shared_bytes = 0;  ///< sizeof the kernel's shared_storage struct
  unsigned cluster_blocks = 1;   ///< blocks per cluster (cluster.cuh), a divisor of `blocks`
};

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
  if (shape.cluster_blocks == 0 || shape.blocks % shape.cluster_blocks != 0) {
    throw launch_error("a grid of " + std::to_string(shape.blocks) +
                       " blocks does not divide into clusters of " +
                       std::to_string(shape.cluster_blocks) + " blocks");
  }
}

}  // namespace finesync::inline FINESYNC_ABI
