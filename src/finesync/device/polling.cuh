// Polling a word that others will change.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

/// Polls some times in a row: until `poll` returns true, which it then does too, or has returned
/// false so often that the caller should see to its watchdog and its back-off.
///
/// What a waiter does between two polls, it comes late by to what it waits for; here that is next
/// to nothing, which makes hand-offs of locks and semaphores quicker. But meanwhile the other lanes
/// of the warp stand still: if one of them is what the caller waits for, or has a lock that others
/// want, all of them wait longer. So: only where no other lane has work of its own.
template <class Poll>
__device__ __forceinline__ bool poll_briefly(Poll poll) {
#ifdef FINESYNC_HOST_EXECUTOR
  constexpr unsigned polls = 2;  // a poll is a step of the executor: nothing to be gained
#else
  constexpr unsigned polls = 32;
#endif
  for (unsigned i = 0; i < polls; ++i)
    if (poll()) return true;
  return false;
}

/// How often a loop of polls goes round before it leaves the rest to one with a watchdog.
#ifdef FINESYNC_HOST_EXECUTOR
inline constexpr unsigned rounds_of_polls = 1;
#else
inline constexpr unsigned rounds_of_polls = 64;
#endif

}  // namespace FINESYNC_ABI
}  // namespace finesync
