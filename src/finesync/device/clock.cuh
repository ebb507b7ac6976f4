// Time and place of the running thread.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Cycles of this SM's own clock. Clocks of different SMs differ by a constant; see bench/sm_clock.
__device__ __forceinline__ std::uint64_t clock_cycles() {
#ifdef FINESYNC_HOST_EXECUTOR
  return simt::nominal_time_ns();
#else
  return static_cast<std::uint64_t>(clock64());
#endif
}

/// Nanoseconds on a clock that all SMs share. How coarsely it ticks differs by GPU (32 ns to 1 us).
__device__ __forceinline__ std::uint64_t global_time_ns() {
#ifdef FINESYNC_HOST_EXECUTOR
  return simt::nominal_time_ns();
#else
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#endif
}

/// The SM that the block runs on, 0-based. It cannot be derived from blockIdx. The numbers may have
/// gaps, and so be as large as the number of SMs, or larger: do not index by them.
__device__ __forceinline__ unsigned sm_id() {
#ifdef FINESYNC_HOST_EXECUTOR
  return static_cast<unsigned>(simt::current->block->sm);
#else
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
#endif
}

/// Slots of a table that has one for each SM.
inline constexpr unsigned sm_slots = 256;

/// The slot of the SM that the block runs on. SMs with a number beyond share slots with others.
__device__ __forceinline__ unsigned sm_slot() {
  return sm_id() % sm_slots;
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
