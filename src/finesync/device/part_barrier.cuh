// A barrier for some warps of a block, while the others do something else.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

/// __syncthreads() for the block's first `threads` threads, whole warps, who alone call it; each
/// time with the same number, and beside the barrier of the whole block.
__device__ __forceinline__ void sync_first_threads(unsigned threads) {
#ifdef FINESYNC_HOST_EXECUTOR
  simt::part_barrier(threads);
#else
  __syncwarp();  // what comes next takes the warp for together
  asm volatile("bar.sync 1, %0;" : : "r"(threads) : "memory");
#endif
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
