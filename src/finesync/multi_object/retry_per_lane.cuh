// SPDX-License-Identifier: Apache-2.0
// Runs a sequence of tasks that may fail, such as sections under several locks, with each lane of a
// warp at its own pace. With a retry loop inside a loop over tasks, a warp continues only once all
// its lanes have succeeded. Here a lane that succeeds begins its next task in the round in which
// other lanes retry.
//
// Use: retry_per_lane<Backoff>(tasks, watchdog)
// Participants: any threads; each has its own tasks.
// Scope, ordering, traffic: those of the tries, which hold nothing after a failure.
// Progress: that of the tries. A thread whose try fails skips some rounds (`Backoff`,
//   device/backoff.cuh) and delays no other thread meanwhile.
// Residency: none needed.
// Fairness: none.
#pragma once

#include "finesync/device/backoff.cuh"
#include "finesync/device/watchdog.cuh"

namespace finesync::inline FINESYNC_ABI {

/// \tparam Backoff a random_round_backoff, applied after a failure.
/// \param tasks of this thread:
///|  bool next_task()                 begins the next task; false: no task is left
///|  bool try_task(unsigned refused)  one try, after `refused` failures; false: it failed
/// \returns false when the watchdog ended a wait: leave the kernel.
template <class Backoff, class Tasks>
__device__ bool retry_per_lane(Tasks& tasks, const watchdog_ref& watchdog) {
  if (!tasks.next_task()) return true;
  bounded_wait wait(watchdog, awaited::lock);
  Backoff backoff;
  unsigned refused = 0;
  while (true) {
    bool done = false;
    if (backoff.over()) {
      done = tasks.try_task(refused);
      if (!done) {
        ++refused;
        backoff.begin();
      }
    }
    if (done) {
      if (!tasks.next_task()) return true;
      refused = 0;
      backoff.restart();
      wait.restart();
    } else if (wait.timed_out()) {
      return false;
    }
  }
}

}  // namespace finesync::inline FINESYNC_ABI
