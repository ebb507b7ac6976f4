// SPDX-License-Identifier: Apache-2.0
// Running a critical section under a lock. A section is written once, as a function object, and
// runs under any lock of this folder.
//
// Use: lock_table<tas_lock<scope::device>> on the host; run_exclusive(locks[i], section, watchdog)
//   in a kernel, where `section` is a lambda or a function object.
#pragma once

#include "finesync/device/held_lock.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/locks/exclusive_lock.cuh"
#include "finesync/locks/observer.cuh"

#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// What the other lanes of a warp do while a thread waits.
enum class other_lanes {
  competing,  ///< other lanes may want locks too, or hold them
  idle,       ///< other lanes do nothing: the thread may poll in a row
};

/// One attempt to enter a lock or a semaphore.
template <other_lanes Others, class Gate, class Acquisition>
__device__ bool try_to_enter(Gate& gate, Acquisition& acquisition) {
  if constexpr (Others == other_lanes::idle && requires { gate.try_enter_burst(acquisition); }) {
    return gate.try_enter_burst(acquisition);
  } else {
    return gate.try_enter(acquisition);
  }
}

namespace detail {

/// For `if constexpr`: if a check fails, one error message replaces all that would follow.
template <class Lock, class Observer, class Section = void>
struct are_checked {
  static_assert(exclusive_lock<Lock>, "this type is no lock: see locks/exclusive_lock.cuh");
  static_assert(lock_observer<Observer>, "this type is no observer: see locks/observer.cuh");
  static constexpr bool fits =
      !exclusive_lock<Lock> || std::is_void_v<Section> || runs_under<Section, Lock>;
  static_assert(fits, "a section takes nothing, or the word that its lock passes, by reference");
  static constexpr bool value = exclusive_lock<Lock> && lock_observer<Observer> && fits;
};

}  // namespace detail

/// The lock, for reports of a wait for it.
template <class Lock>
__device__ auto evidence_of(const Lock& lock) {
  return [&lock] {
    // A lock in shared memory has no register left for it.
    if constexpr (
        requires { lock.address(); } && !requires { typename Lock::block_storage; })
      return wait_evidence{.where = lock.address()};
    else
      return wait_evidence{};
  };
}

/// Acquires the lock. \returns false when the watchdog ended the wait.
/// \param acquisition from lock.enqueue().
template <other_lanes Others = other_lanes::competing, class Lock, class Acquisition,
          class Observer>
__device__ bool enter_exclusive(Lock lock, Acquisition& acquisition, const watchdog_ref& watchdog,
                                Observer& observer) {
  if constexpr (detail::are_checked<Lock, Observer>::value) {
    bounded_wait wait(watchdog, awaited::lock);
    while (!try_to_enter<Others>(lock, acquisition)) {
      observer.retry();
      if (wait.timed_out(evidence_of(lock))) return false;
      lock.wait(acquisition);
    }
  }
  note_lock(lock, true);
  return true;
}

/// Releases the lock. \returns false when the watchdog ended the wait.
template <class Lock>
__device__ bool leave_exclusive(Lock lock, typename Lock::acquisition& acquisition,
                                const watchdog_ref& watchdog) {
  note_lock(lock, false);
  if constexpr (std::is_void_v<decltype(lock.leave(acquisition))>) {
    lock.leave(acquisition);
  } else {
    bounded_wait wait(watchdog, awaited::release);
    while (!lock.leave(acquisition)) {
      if (wait.timed_out()) return false;
      lock.wait(acquisition);
    }
  }
  return true;
}

/// Runs section() while holding `lock`. Participants: any threads of the lock's scope, one or more
/// per warp. other_lanes::idle is faster if the other lanes of the warp do nothing meanwhile, for
/// example if thread 0 acts for its block.
///
/// The section is inside the retry loop (ASPLOS'19, Listing 1). So lanes of one warp that compete
/// for a lock make progress even if the warp has a single program counter.
/// \param observer a lock_observer; the caller has called its begin().
/// \returns false when the watchdog ended a wait: leave the kernel.
template <other_lanes Others = other_lanes::competing, class Lock, class Section,
          class Observer = no_observer>
__device__ bool run_exclusive(Lock lock, Section&& section, const watchdog_ref& watchdog,
                              Observer&& observer = {}) {
  if constexpr (detail::are_checked<Lock, Observer, Section>::value) {
    typename Lock::acquisition acquisition = lock.enqueue();
    bounded_wait wait(watchdog, awaited::lock);
    bool done = false;
    do {
      if (try_to_enter<Others>(lock, acquisition)) {
        note_lock(lock, true);
        observer.entered();
        if constexpr (passes_value<Lock>) {
          section(acquisition.value);
        } else {
          section();
        }
        observer.leaving();
        if (!leave_exclusive(lock, acquisition, watchdog)) return false;
        done = true;
      } else {
        observer.retry();
        if (wait.timed_out(evidence_of(lock))) return false;
        lock.wait(acquisition);
      }
    } while (!done);
  }
  return true;
}

}  // namespace finesync::inline FINESYNC_ABI
