// SPDX-License-Identifier: Apache-2.0
// A lock that a whole block holds: its first thread acquires it, all threads run the section, and
// the first thread releases it.
//
// Use: if (!run_block_exclusive(locks[i], section, watchdog)) return;
//   or, to the end of a scope:
//|  const block_lock_guard held(locks[i], watchdog);
//|  if (!held) return;
//   try_run_block_exclusive() and block_lock_guard held(locks[i], own_limit{ns}) give up.
// Participants: blocks, and single threads by run_exclusive(). All threads of a block call it
//   together, as they call __syncthreads(), with the same lock, and leave the guard's scope
//   together. The lock is any of this folder but a value-passing one.
// Scope: that of the lock.
// Ordering: that of the lock, for all threads of the block. The block meets between the first
//   thread's acquire and the section, and between the section and its release. A release is
//   cumulative, so it covers what all threads did before they met, also by plain accesses.
// Progress, fairness: those of the lock, with one participant per block.
// Residency: that of the lock, of whole blocks.
// Traffic: that of the lock for one thread, and two block barriers per section.
// Reset: that of the lock.
//
// There is no guard for a single thread. Lanes of one warp compete for a lock, and the lane that
// holds it must release it inside the loop in which the others still try (exclusive.cuh). A guard
// releases at the end of its scope, after that loop, where the warp may first let all its lanes
// converge: the holder then waits for lanes that wait for it. A block is converged already.
#pragma once

#include "finesync/device/held_lock.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/locks/exclusive.cuh"
#include "finesync/locks/try_exclusive.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Holds the lock for the block until the end of its scope. \tparam Observer may be a reference.
template <class Lock, lock_observer Observer = no_observer>
class block_lock_guard {
  static_assert(exclusive_lock<Lock>, "this type is no lock: see locks/exclusive_lock.cuh");
  static_assert(!passes_value<Lock>,
                "a block cannot hold a value-passing lock: one thread has its word");

 public:
  /// Waits for the lock. \param watchdog outlives the guard.
  __device__ block_lock_guard(Lock lock, const watchdog_ref& watchdog, Observer observer = {})
      : lock_(lock), watchdog_(&watchdog), observer_(observer) {
    enter([&] {
      return enter_exclusive<other_lanes::idle>(lock_, acquisition_, watchdog, observer_);
    });
  }
  /// Gives up after the limit (try_exclusive.cuh).
  __device__ block_lock_guard(Lock lock, own_limit limit, Observer observer = {})
      : lock_(lock), observer_(observer) {
    enter([&] {
      return try_enter_exclusive<other_lanes::idle>(lock_, acquisition_, limit, observer_);
    });
  }
  block_lock_guard(const block_lock_guard&) = delete;
  block_lock_guard& operator=(const block_lock_guard&) = delete;

  /// If the watchdog ends the wait to release, the next wait reports that.
  __device__ ~block_lock_guard() {
    if (!holds_) return;
    note_lock(lock_, false);
    __syncthreads();
    if (!is_first_of_block()) return;
    observer_.leaving();
    if constexpr (abandonable_lock<Lock>) {
      lock_.leave(acquisition_);
    } else {
      leave_exclusive(lock_, acquisition_, *watchdog_);
    }
  }

  /// The same to all threads of the block. False when the block gave up, or when the watchdog ended
  /// the wait: then leave the kernel.
  __device__ explicit operator bool() const { return holds_; }

 private:
  template <class Wait>
  __device__ void enter(Wait wait) {
    bool entered = false;
    if (is_first_of_block()) {
      acquisition_ = lock_.enqueue();
      entered = wait();
      if (entered) observer_.entered();
    }
    holds_ = __syncthreads_or(entered) != 0;
    if (holds_) note_lock(lock_, true);
  }

  Lock lock_;
  const watchdog_ref* watchdog_ = nullptr;  ///< for locks whose release may wait
  [[no_unique_address]] Observer observer_;
  typename Lock::acquisition acquisition_ = {};  ///< the first thread's
  bool holds_ = false;
};

/// Runs section() in all threads of the block while the block holds `lock`.
/// \returns false, to all threads, when the watchdog ended the wait; the section has not run: leave
/// the kernel.
template <class Lock, class Section, class Observer = no_observer>
__device__ bool run_block_exclusive(Lock lock, Section&& section, const watchdog_ref& watchdog,
                                    Observer&& observer = {}) {
  const block_lock_guard<Lock, Observer&> held(lock, watchdog, observer);
  if (held) section();
  return static_cast<bool>(held);
}

/// The same for a block that waits no longer than the limit. \returns false, to all threads, if it
/// gave up: the section has not run.
template <class Lock, class Section, class Observer = no_observer>
__device__ bool try_run_block_exclusive(Lock lock, Section&& section, own_limit limit = {},
                                        Observer&& observer = {}) {
  const block_lock_guard<Lock, Observer&> held(lock, limit, observer);
  if (held) section();
  return static_cast<bool>(held);
}

}  // namespace finesync::inline FINESYNC_ABI
