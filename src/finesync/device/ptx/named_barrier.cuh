// The block's named barriers: the hardware has 16, number 0 is that of __syncthreads(). Whole warps
// come to them, some of which wait there and others only say that they have been there (PTX ISA,
// "barrier"; ICS'15, section 2).
//
// What a thread does before it comes is visible, also by plain accesses, to those who wait, once
// they go on. Who only arrives has learned nothing. No watchdog can end such a wait: who gives up
// another one comes here all the same.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

inline constexpr unsigned named_barriers = 16;

/// Waits until `threads` threads, a multiple of 32, have come, the caller's warp among them; then
/// the barrier is as before the first. All lanes of a warp call this together.
__device__ __forceinline__ void named_barrier_sync(unsigned number, unsigned threads) {
#ifdef FINESYNC_HOST_EXECUTOR
  simt::named_barrier(number, threads, true);
#else
  asm volatile("barrier.sync.aligned %0, %1;" ::"r"(number), "r"(threads) : "memory");
#endif
}

/// Comes, and does not wait. All lanes of a warp call this together.
__device__ __forceinline__ void named_barrier_arrive(unsigned number, unsigned threads) {
#ifdef FINESYNC_HOST_EXECUTOR
  simt::named_barrier(number, threads, false);
#else
  asm volatile("barrier.arrive.aligned %0, %1;" ::"r"(number), "r"(threads) : "memory");
#endif
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
