// SPDX-License-Identifier: Apache-2.0
// The whole of a wait: polls until a condition holds, ends with the watchdog, and says in the
// meantime who waits for what. For the barriers of this library, and for a spin loop of one's own:
//
//|  while (atomicAdd(arrived, 0u) < goal) {}                       becomes
//|  if (!await(watchdog, awaited::blocks, [&] { return atomicAdd(arrived, 0u) >= goal; })) return;
//
// docs/correctness.md shows what the host then reads while the kernel hangs.
#pragma once

#include "finesync/device/polling.cuh"
#include "finesync/device/watchdog.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Polls until `poll` returns true. Each thread that calls it waits for itself. Ordering: that of
/// the polls; usually a fence follows.
///
/// Almost free: a poll is followed by one branch, as if it waited for ever, and the watchdog is
/// asked once in some thousand polls. The first polls are in a row: a branch that is not taken is
/// quicker than a loop. Meanwhile the other lanes of the warp stand still: not for a wait for one
/// of them. \param what the object's kind, for reports; watchdog.watching(index) tells which one,
/// and watchdog.holding(index) what the waiting thread holds. \param tell returns wait_evidence,
/// what the last poll has seen and what it wants; called only for a report. \returns false if the
/// watchdog ended the wait: leave the kernel as soon as possible.
template <class Poll, class Tell = no_evidence>
__device__ __forceinline__ bool await(const watchdog_ref& watchdog, awaited what, Poll poll,
                                      Tell tell = {}) {
  if (poll_briefly(poll)) return true;
  // After these polls: what this loop prepares for the watchdog must not delay them.
  bounded_wait wait(watchdog, what);
  while (!poll_in_a_row(poll))
    if (wait.check(tell)) return false;
  return true;
}

}  // namespace finesync::inline FINESYNC_ABI
