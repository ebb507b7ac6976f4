// SPDX-License-Identifier: Apache-2.0
// A thread that gives up its wait for a lock by itself, at once or after a time; all others go on.
// A watchdog's timeout, in contrast, ends all waits of the kernel.
//
// Use: if (!try_run_exclusive(locks[i], section)) ...
//   makes one attempt; try_run_exclusive(locks[i], section, own_limit{20'000}) tries for 20 us.
// Participants: threads, together with any that wait by run_exclusive().
// Locks: those in which a waiter leaves no mark (`may_give_up`: spin, tas, ttas). In a queue the
//   threads after a waiter would wait for it, so the compiler refuses such a lock.
// Scope, ordering, fairness, residency: those of the lock. An attempt that fails orders nothing.
// Progress: ends after the limit, one attempt and one back-off at the latest, whatever others do;
//   no watchdog is asked. An attempt may fail only if another thread held the lock during it.
// Traffic: that of the lock's attempts.
// Reset: that of the lock.
#pragma once

#include "finesync/device/clock.cuh"
#include "finesync/device/held_lock.cuh"
#include "finesync/locks/exclusive.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// How long a thread waits before it gives up.
struct own_limit {
  std::uint64_t ns = 0;  ///< 0: one attempt
};

/// A lock whose waiter may go away at any time.
template <class Lock>
concept abandonable_lock = exclusive_lock<Lock> && Lock::may_give_up;

namespace detail {

template <class Lock>
struct is_abandonable {
  static constexpr bool value = abandonable_lock<Lock>;
  static_assert(value || !exclusive_lock<Lock>,
                "no thread may leave this lock's queue: the next would wait for it; take tas_lock");
};

class own_wait {
 public:
  __device__ explicit own_wait(own_limit limit)
      : limit_(limit.ns), began_(limit.ns == 0 ? 0 : global_time_ns()) {}

  __device__ bool is_over() const { return limit_ == 0 || global_time_ns() - began_ >= limit_; }

 private:
  std::uint64_t limit_;
  std::uint64_t began_;
};

}  // namespace detail

/// Acquires the lock within the limit. \returns false if the thread gave up.
/// \param acquisition from lock.enqueue().
template <other_lanes Others = other_lanes::competing, class Lock, class Acquisition,
          class Observer>
__device__ bool try_enter_exclusive(Lock lock, Acquisition& acquisition, own_limit limit,
                                    Observer& observer) {
  if constexpr (detail::are_checked<Lock, Observer>::value && detail::is_abandonable<Lock>::value) {
    const detail::own_wait wait(limit);
    while (!try_to_enter<Others>(lock, acquisition)) {
      observer.retry();
      if (wait.is_over()) return false;
      lock.wait(acquisition);
    }
  }
  note_lock(lock, true);
  return true;
}

/// Runs section() while holding `lock`, if it is acquired within the limit. The section is inside
/// the retry loop, as in run_exclusive().
/// \returns false if the thread gave up: the section has not run.
template <other_lanes Others = other_lanes::competing, class Lock, class Section,
          class Observer = no_observer>
__device__ bool try_run_exclusive(Lock lock, Section&& section, own_limit limit = {},
                                  Observer&& observer = {}) {
  bool entered = false;
  if constexpr (detail::are_checked<Lock, Observer, Section>::value &&
                detail::is_abandonable<Lock>::value) {
    typename Lock::acquisition acquisition = lock.enqueue();
    const detail::own_wait wait(limit);
    bool over = false;
    do {
      if (try_to_enter<Others>(lock, acquisition)) {
        note_lock(lock, true);
        observer.entered();
        section();
        observer.leaving();
        note_lock(lock, false);
        lock.leave(acquisition);
        entered = true;
      } else {
        observer.retry();
        over = wait.is_over();
        if (!over) lock.wait(acquisition);
      }
    } while (!entered && !over);
  }
  return entered;
}

}  // namespace finesync::inline FINESYNC_ABI
