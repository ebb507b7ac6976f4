// A broken device/numbering.cuh: it numbers by x alone, so threads and blocks of a grid of several
// dimensions share numbers.
#pragma once

#include <finesync/device/platform.cuh>

#define FINESYNC_TEST_BY_X_ALONE

namespace finesync::inline FINESYNC_ABI {

__device__ __forceinline__ unsigned thread_rank() {
  return threadIdx.x;
}
__device__ __forceinline__ unsigned block_threads() {
  return blockDim.x;
}
__device__ __forceinline__ bool is_first_of_block() {
  return threadIdx.x == 0;
}
__device__ __forceinline__ unsigned block_rank() {
  return blockIdx.x;
}
__device__ __forceinline__ unsigned grid_blocks() {
  return gridDim.x;
}
__device__ __forceinline__ void assume_one_dimension() {}

}  // namespace finesync::inline FINESYNC_ABI
