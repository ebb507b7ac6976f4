// The same blocks and threads in one, two or three dimensions, and their numbers as the test has
// them: the broken twin (by_x_alone) has other ones.
#pragma once

#include <finesync/device/platform.cuh>
#include <finesync/host/launch_shape.cuh>

namespace finesync::test {

__device__ inline unsigned linear_thread() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ inline unsigned linear_block() {
  return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
__device__ inline unsigned threads_of_block() {
  return blockDim.x * blockDim.y * blockDim.z;
}
__device__ inline unsigned blocks_of_grid() {
  return gridDim.x * gridDim.y * gridDim.z;
}

/// 12 blocks of 32 threads: in two dimensions 4 x 3 of 8 x 4, in three 2 x 3 x 2 of 2 x 4 x 4.
inline launch_shape laid_out(launch_shape shape, unsigned dimensions) {
  const auto in = [&](unsigned all, unsigned y, unsigned z) {
    const unsigned depth = dimensions == 3 ? z : 1;
    return extents{all / (y * depth), y, depth};
  };
  if (dimensions == 1) return shape;
  shape.grid = in(shape.blocks, 3, 2);
  shape.block = in(shape.threads_per_block, 4, 4);
  return shape;
}

}  // namespace finesync::test
