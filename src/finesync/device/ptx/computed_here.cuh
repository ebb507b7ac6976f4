// SPDX-License-Identifier: Apache-2.0
// Values that are computed where the source says. The compiler moves them: what does not change in
// a waiting loop goes before it, where it delays the first poll and takes registers from the loop;
// an address goes to its first access, where it delays what follows a wait.
#pragma once

#include "finesync/device/numbering.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The value; what is computed from it is computed after this call.
__device__ __forceinline__ std::uint32_t computed_here(std::uint32_t value) {
#ifndef FINESYNC_HOST_EXECUTOR
  asm volatile("" : "+r"(value));
#endif
  return value;
}

/// The pointer, computed when this call returns.
template <class Type>
__device__ __forceinline__ Type* computed_here(Type* pointer) {
#ifndef FINESYNC_HOST_EXECUTOR
  asm volatile("" : "+l"(pointer));
#endif
  return pointer;
}

/// block_rank()
__device__ __forceinline__ std::uint32_t block_read_here() {
#ifdef FINESYNC_HOST_EXECUTOR
  return block_rank();
#else
  std::uint32_t block;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
  return block + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
#endif
}

/// grid_blocks()
__device__ __forceinline__ std::uint32_t grid_read_here() {
#ifdef FINESYNC_HOST_EXECUTOR
  return grid_blocks();
#else
  std::uint32_t blocks;
  asm volatile("mov.u32 %0, %%nctaid.x;" : "=r"(blocks));
  return blocks * gridDim.y * gridDim.z;
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
