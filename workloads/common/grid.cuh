// The grid of a program of one grid and one primitive: so many blocks on each SM, all of them on
// the GPU at once.
#pragma once

#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>

#include <algorithm>
#include <cstddef>

namespace finesync::workload {

/// How many blocks of this shape the whole GPU holds of whichever kernel takes the most room.
template <class... Kernels>
unsigned resident_of_all(const launch_shape& shape, Kernels*... kernels) {
  return std::min({max_resident_blocks(kernels, shape.threads_per_block, shape.shared_bytes,
                                       shape.cluster_blocks)...});
}

/// By a setup's blocks_per_sm, of which 0 is as many as fit, and its threads_per_block.
/// \param resident blocks of this shape that the whole GPU holds.
/// \throws launch_error, naming that number, when the grid has more.
template <class RunConfig>
launch_shape grid_of(const RunConfig& config, unsigned resident, std::size_t shared_bytes = 0) {
  const auto sms = static_cast<unsigned>(current_gpu().sms);
  const unsigned per_sm = config.blocks_per_sm == 0 ? resident / sms : config.blocks_per_sm;
  const launch_shape shape{.blocks = per_sm * sms,
                           .threads_per_block = config.threads_per_block,
                           .shared_bytes = shared_bytes};
  if (shape.blocks > resident || shape.blocks == 0) refuse_launch(shape, resident);
  return shape;
}

/// The grid on which any of the kernels can run: those that watch do on the timed one's.
template <class RunConfig, class... Kernels>
launch_shape grid_for(const RunConfig& config, std::size_t shared_bytes, Kernels*... kernels) {
  const launch_shape block{.threads_per_block = config.threads_per_block,
                           .shared_bytes = shared_bytes};
  return grid_of(config, resident_of_all(block, kernels...), shared_bytes);
}

}  // namespace finesync::workload
