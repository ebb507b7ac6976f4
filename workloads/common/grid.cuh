// The grid of a program with one grid and one primitive: a number of blocks per SM, all
// co-resident.
#pragma once

#include <bench/experiment.hpp>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>

#include <algorithm>
#include <cstddef>

namespace finesync::workload {

/// The number of blocks of this shape that fit on the GPU, for the kernel that needs most room.
template <class... Kernels>
unsigned resident_of_all(const launch_shape& shape, Kernels*... kernels) {
  return std::min({max_resident_blocks(kernels, shape.threads_per_block, shape.shared_bytes,
                                       shape.cluster_blocks)...});
}

/// The number of SMs that a grid has blocks_per_sm blocks for: all, unless the configuration says.
template <class RunConfig>
unsigned sms_of_grid(const RunConfig& config) {
  if constexpr (requires { config.sms; })
    if (config.sms != 0) return config.sms;
  return static_cast<unsigned>(current_gpu().sms);
}

/// The grid for a configuration's blocks_per_sm (0: as many as fit on one) and threads_per_block.
/// \param resident blocks of this shape that fit on the GPU.
/// \throws launch_error, with that number, if the grid has more.
template <class RunConfig>
launch_shape grid_of(const RunConfig& config, unsigned resident, std::size_t shared_bytes = 0) {
  const unsigned sms = sms_of_grid(config);
  const unsigned per_sm = config.blocks_per_sm == 0
                              ? resident / static_cast<unsigned>(current_gpu().sms)
                              : config.blocks_per_sm;
  const launch_shape shape{.blocks = per_sm * sms,
                           .threads_per_block = config.threads_per_block,
                           .shared_bytes = shared_bytes};
  if (shape.blocks > resident || shape.blocks == 0) refuse_launch(shape, resident);
  return shape;
}

/// The grid on which all of the kernels can run; observed runs use the timed run's grid.
template <class RunConfig, class... Kernels>
launch_shape grid_for(const RunConfig& config, std::size_t shared_bytes, Kernels*... kernels) {
  const launch_shape block{.threads_per_block = config.threads_per_block,
                           .shared_bytes = shared_bytes};
  return grid_of(config, resident_of_all(block, kernels...), shared_bytes);
}

/// For kernels whose warps work together. \throws bench::infeasible if a block's last warp is
/// incomplete.
inline void expect_whole_warps(unsigned threads_per_block) {
  if (threads_per_block % 32 != 0) throw bench::infeasible("blocks of whole warps are needed");
}

}  // namespace finesync::workload
