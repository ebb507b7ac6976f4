// A wait by a whole warp.
#pragma once

#include "finesync/device/watchdog.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Polls until `poll` is true in all lanes. All lanes of the warp call it. They continue together,
/// and the compiler knows it. Each lane acquires only what its own poll acquires.
/// \returns false, in all lanes, if the watchdog ended the wait.
template <class Poll>
__device__ __forceinline__ bool await_by_warp(const watchdog_ref& watchdog, awaited what,
                                              Poll poll) {
  constexpr unsigned all_lanes = 0xffffffffu;
  bounded_wait wait(watchdog, what);
  while (!__all_sync(all_lanes, poll()))
    if (__any_sync(all_lanes, wait.timed_out())) return false;
  return true;
}

}  // namespace finesync::inline FINESYNC_ABI
