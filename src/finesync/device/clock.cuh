// SPDX-License-Identifier: Apache-2.0
// Time and location of the running thread.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Cycles of this SM's own clock. Clocks of different SMs differ by a constant; see bench/sm_clock.
__device__ __forceinline__ std::uint64_t clock_cycles() {
#ifdef FINESYNC_HOST_EXECUTOR
  return simt::clock_ns();
#else
  return static_cast<std::uint64_t>(clock64());
#endif
}

/// Nanoseconds on a clock common to all SMs. Its resolution depends on the GPU (32 ns to 1 us).
__device__ __forceinline__ std::uint64_t global_time_ns() {
#ifdef FINESYNC_HOST_EXECUTOR
  return simt::clock_ns();
#else
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#endif
}

/// The index of the block's SM, 0-based; it cannot be derived from blockIdx. Indices may have gaps
/// and reach or exceed the number of SMs: do not index arrays by them.
__device__ __forceinline__ unsigned sm_id() {
#ifdef FINESYNC_HOST_EXECUTOR
  return static_cast<unsigned>(simt::current->block->sm);
#else
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
#endif
}

/// Slots of a table with one slot per SM.
inline constexpr unsigned sm_slots = 256;

/// The slot of the block's SM. SMs with an index beyond the table share slots with others.
__device__ __forceinline__ unsigned sm_slot() {
  return sm_id() % sm_slots;
}

}  // namespace finesync::inline FINESYNC_ABI
