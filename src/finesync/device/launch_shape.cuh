// The shape of a launch, and what a launch that cannot be says. Host side.
#pragma once

#include "finesync/device/error.cuh"

#include <cstddef>
#include <string>

namespace finesync {

/// One-dimensional grid of one-dimensional blocks.
struct launch_shape {
  unsigned blocks = 1;
  unsigned threads_per_block = 32;
  std::size_t shared_bytes = 0;  ///< sizeof the kernel's shared_storage struct
  unsigned cluster_blocks = 1;   ///< blocks of a cluster (cluster.cuh), a divisor of `blocks`
};

/// \throws launch_error that says how many blocks of the shape fit.
[[noreturn]] inline void refuse_launch(const launch_shape& shape, unsigned fitting) {
  const std::string clusters =
      shape.cluster_blocks == 1 ? "" : " in clusters of " + std::to_string(shape.cluster_blocks);
  throw launch_error("a grid of " + std::to_string(shape.blocks) + " blocks of " +
                     std::to_string(shape.threads_per_block) + " threads" + clusters +
                     " cannot be co-resident: at most " + std::to_string(fitting) +
                     " blocks of this shape fit on this GPU");
}

/// \throws launch_error unless the grid divides into clusters and the machine has clusters.
inline void check_clusters(const launch_shape& shape, bool machine_has_clusters) {
  if (shape.cluster_blocks == 1) return;
  const std::string clusters = "clusters of " + std::to_string(shape.cluster_blocks) + " blocks";
  if (!machine_has_clusters) throw launch_error(clusters + ": this machine has no clusters");
  if (shape.cluster_blocks == 0 || shape.blocks % shape.cluster_blocks != 0) {
    throw launch_error("a grid of " + std::to_string(shape.blocks) +
                       " blocks does not divide into " + clusters);
  }
}

}  // namespace finesync
