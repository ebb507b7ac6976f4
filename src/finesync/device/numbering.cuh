// SPDX-License-Identifier: Apache-2.0
// Numbers of threads and blocks, in grids and blocks of one, two or three dimensions: x counts
// first, then y, then z, as when the GPU forms warps. Primitives number by these functions alone.
//
// A kernel cannot know that it runs in one dimension, so a number costs it some instructions and
// registers. If it is only ever launched so, it says so first: after assume_one_dimension() the
// compiler makes the same code of thread_rank() and of threadIdx.x.
#pragma once

#include "finesync/device/platform.cuh"
#include "finesync/device/require.cuh"

namespace finesync::inline FINESYNC_ABI {

/// The caller's number in its block.
__device__ __forceinline__ unsigned thread_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// Threads of a block.
__device__ __forceinline__ unsigned block_threads() {
  return blockDim.x * blockDim.y * blockDim.z;
}

/// Whether thread_rank() is 0, without a multiplication.
__device__ __forceinline__ bool is_first_of_block() {
  return (threadIdx.x | threadIdx.y | threadIdx.z) == 0;
}

/// The number of the caller's block in its grid.
__device__ __forceinline__ unsigned block_rank() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

/// Blocks of the grid.
__device__ __forceinline__ unsigned grid_blocks() {
  return gridDim.x * gridDim.y * gridDim.z;
}

/// The first statement of a kernel that runs only in grids and blocks of one dimension. Any other
/// launch is an error on the host executor, and undefined on a GPU.
__device__ __forceinline__ void assume_one_dimension() {
#ifdef FINESYNC_HOST_EXECUTOR
  require(gridDim.y * gridDim.z * blockDim.y * blockDim.z == 1,
          "this kernel runs in grids and blocks of one dimension");
#else
  __builtin_assume(threadIdx.y == 0);
  __builtin_assume(threadIdx.z == 0);
  __builtin_assume(blockDim.y == 1);
  __builtin_assume(blockDim.z == 1);
  __builtin_assume(blockIdx.y == 0);
  __builtin_assume(blockIdx.z == 0);
  __builtin_assume(gridDim.y == 1);
  __builtin_assume(gridDim.z == 1);
#endif
}

/// Whether a primitive is code of others, which is compiled as in their users' kernels: these say
/// nothing about dimensions. It then has a member any_dimension, which is true.
template <class Primitive>
inline constexpr bool in_any_dimension = requires {
  requires Primitive::any_dimension;
};

/// The first statement of such a kernel around a primitive. It assumes nothing if the primitive is
/// code of others: where grid.sync() knows that a warp has one first lane, blocks poll before their
/// own arrival is done, and 16 blocks per SM of an H100 take 1.5 times as long.
template <class Primitive>
__device__ __forceinline__ void assume_one_dimension() {
#ifndef FINESYNC_HOST_EXECUTOR
  if constexpr (!in_any_dimension<Primitive>)
#endif
    assume_one_dimension();
}

}  // namespace finesync::inline FINESYNC_ABI
