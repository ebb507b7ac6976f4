// Tasks that may be refused, such as sections under several locks, one after another: each lane of
// a warp at its own pace. Where a thread runs its tasks in a loop, each with a loop of tries in it,
// a warp goes on when the last of its lanes has been let in; here a lane that is done begins its
// next task in the same round in which others try again.
//
// Participants: any threads; each has tasks of its own.
// Scope, ordering, traffic: those of the tries, which hold nothing when they are refused.
// Progress: that of the tries. A thread that is refused passes over some rounds (`Backoff`,
//   device/backoff.cuh) and holds nobody up meanwhile.
// Residency: none needed.
// Fairness: none.
#pragma once

#include "finesync/device/backoff.cuh"
#include "finesync/device/watchdog.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

/// \tparam Backoff what is done after a refusal, a random_round_backoff.
/// \param tasks of this thread:
///|  bool next_task()                     begins the next task; false: there is none
///   bool try_task(unsigned refused)  one try at it, which was refused so often; false: refused
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

}  // namespace FINESYNC_ABI
}  // namespace finesync
