// SPDX-License-Identifier: Apache-2.0
// Polling a word that other threads will change.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Polls until `poll` returns true, or some thousand times, in about a millisecond: the caller
/// should then check its watchdog. \returns whether poll() did.
///
/// One branch a poll: the count is in the predicate of the poll's own branch, and all else is
/// after the loop. So a wait with a bound responds about as fast as one without. Meanwhile the
/// other lanes of the warp stand still, as in poll_briefly().
template <class Poll>
__device__ __forceinline__ bool poll_in_a_row(Poll poll) {
#ifdef FINESYNC_HOST_EXECUTOR
  unsigned left = 128;  // its clock is slower
#else
  unsigned left = 2048;
#endif
  bool done = false;
  do {
    done = poll();
    --left;
  } while (!done & (left != 0));  // no &&: it would be a branch
  return done;
}

/// Polls several times in a row. \returns true once `poll` does. After a number of polls, returns
/// false: the caller should check its watchdog and back off.
///
/// Work between two polls delays a waiter's response. This loop has almost none, which makes
/// hand-offs of locks, semaphores and barriers faster: unrolled, a poll is a load, a comparison and
/// one branch. Meanwhile the other lanes of the warp stand still. If the caller waits for one of
/// them, or if one holds a lock that other threads want, all of them wait longer. Use it only if no
/// other lane has work.
template <class Poll>
__device__ __forceinline__ bool poll_briefly(Poll poll) {
#ifdef FINESYNC_HOST_EXECUTOR
  constexpr unsigned polls = 2;  // a poll is a step of the executor: more polls gain nothing
#else
  constexpr unsigned polls = 32;
#endif
  for (unsigned i = 0; i < polls; ++i)  // the compiler unrolls it
    if (poll()) return true;
  return false;
}

/// Rounds of a polling loop before a loop with a watchdog takes over.
#ifdef FINESYNC_HOST_EXECUTOR
inline constexpr unsigned rounds_of_polls = 1;
#else
inline constexpr unsigned rounds_of_polls = 64;
#endif

}  // namespace finesync::inline FINESYNC_ABI
