// The grid of a program of one grid and one primitive: so many blocks on each SM, all of them on
// the GPU at once.
#pragma once

#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>

namespace finesync::workload {

/// \param resident blocks of this shape that the whole GPU holds (max_resident_blocks of the
/// kernel). \throws launch_error, naming that number, when the grid has more.
inline launch_shape grid_of(unsigned blocks_per_sm, unsigned threads_per_block, unsigned resident,
                            std::size_t shared_bytes = 0) {
  const launch_shape shape{.blocks = blocks_per_sm * static_cast<unsigned>(current_gpu().sms),
                           .threads_per_block = threads_per_block,
                           .shared_bytes = shared_bytes};
  if (shape.blocks > resident || shape.blocks == 0) refuse_launch(shape, resident);
  return shape;
}

}  // namespace finesync::workload
