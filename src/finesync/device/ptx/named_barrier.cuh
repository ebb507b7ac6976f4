// SPDX-License-Identifier: Apache-2.0
// The block's named barriers: the hardware has 16, and number 0 is that of __syncthreads(). Whole
// warps arrive; some of them wait, others do not (PTX ISA, "barrier"; ICS'15, section 2).
//
// What a thread does before it arrives is visible after the barrier to the threads that wait, also
// by plain accesses. A thread that only arrives acquires nothing. No watchdog can end such a wait,
// so a thread whose other wait timed out must still arrive.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync::inline FINESYNC_ABI {

inline constexpr unsigned named_barriers = 16;

/// Waits until `threads` threads (a multiple of 32) have arrived, including the caller's warp; the
/// barrier is then ready for reuse. All lanes of a warp call this together.
__device__ __forceinline__ void named_barrier_sync(unsigned number, unsigned threads) {
#ifdef FINESYNC_HOST_EXECUTOR
  simt::named_barrier(number, threads, true);
#else
  asm volatile("barrier.sync.aligned %0, %1;" ::"r"(number), "r"(threads) : "memory");
#endif
}

/// Arrives without waiting. All lanes of a warp call this together.
__device__ __forceinline__ void named_barrier_arrive(unsigned number, unsigned threads) {
#ifdef FINESYNC_HOST_EXECUTOR
  simt::named_barrier(number, threads, false);
#else
  asm volatile("barrier.arrive.aligned %0, %1;" ::"r"(number), "r"(threads) : "memory");
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
