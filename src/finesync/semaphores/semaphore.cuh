// SPDX-License-Identifier: Apache-2.0
// Holding permits of a counting semaphore. A section is written once, as a function object, and
// runs under any semaphore of this folder.
//
// A semaphore of size S has S permits; a holder has 1 to S of them. If all take 1, at most S
// threads are inside. If readers take 1 and writers S, it is a reader/writer lock: one writer, or
// up to S readers, are inside.
//
// Use: const ticket_semaphore<> semaphore(size) on the host; run_with_permits(semaphore, permits,
//   section, watchdog) in a kernel, with semaphore.ref().
//
// The owner, on the host:
//|  X_semaphore(unsigned size)            all permits free; 1 to 2^31. Throws std::invalid_argument
//|                                        for other sizes, std::bad_alloc
//|  void reset()                          frees all permits, also those that are held
//|  X_semaphore_ref ref() const           trivially copyable, passed to kernels by value
// The ref, in a kernel:
//|  struct acquisition                    what one acquisition keeps in registers
//|  acquisition enqueue(unsigned permits) begins one; takes a slot in the queue, if there is one;
//|                                        ends the kernel unless `permits` is 1 to the size
//|                                        (require.cuh)
//|  bool try_enter(acquisition&)          one attempt; acquires the permits on success
//|  bool leave(acquisition&)              one attempt to release; releases on success
//|  void wait(acquisition&)               what to do before trying either again
// and optionally try_enter_burst(), as locks have it (locks/exclusive_lock.cuh), and tries of whole
// blocks (block_tries.cuh).
//
// Between a successful try_enter() and the successful leave(), a thread holds its permits; the sum
// of all held permits is at most S. If two acquisitions never overlap, they are ordered: what the
// earlier thread did before leave(), also by plain accesses, is visible to the later one after
// try_enter().
//
// Participants are single threads. For a whole block, thread 0 acquires, with __syncthreads()
// before and after the section: run_block_with_permits.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/locks/exclusive.cuh"
#include "finesync/semaphores/block_tries.cuh"
#include "finesync/semaphores/exit_observer.cuh"

#include <concepts>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// Checks the interface of a ref above, except for behaviour.
template <class Semaphore>
concept counting_semaphore = std::is_trivially_copyable_v<Semaphore> &&
    requires(const Semaphore ref, typename Semaphore::acquisition acquisition, unsigned permits) {
  { ref.enqueue(permits) } -> std::same_as<typename Semaphore::acquisition>;
  { ref.try_enter(acquisition) } -> std::same_as<bool>;
  { ref.leave(acquisition) } -> std::same_as<bool>;
  ref.wait(acquisition);
};

/// Acquires the permits of `acquisition`. \returns false when the watchdog ended the wait.
template <other_lanes Others = other_lanes::competing, class Semaphore, class Observer>
__device__ bool acquire(const Semaphore& semaphore, typename Semaphore::acquisition& acquisition,
                        const watchdog_ref& watchdog, Observer& observer) {
  bounded_wait wait(watchdog, awaited::permits);
  while (!try_to_enter<Others>(semaphore, acquisition)) {
    observer.retry();
    if (wait.timed_out()) return false;
    semaphore.wait(acquisition);
  }
  observer.entered();
  return true;
}

/// Releases the permits. \returns false, with the permits still held, when the watchdog ended the
/// wait.
template <class Semaphore, class Observer>
__device__ bool release(const Semaphore& semaphore, typename Semaphore::acquisition& acquisition,
                        const watchdog_ref& watchdog, Observer& observer) {
  observer.leaving();
  const bool left = leave_exclusive(semaphore, acquisition, watchdog);
  if constexpr (observes_exits<Observer>) {
    if (left) observer.left();
  }
  return left;
}

/// Runs section() in the calling thread while it holds `permits` (1 to the semaphore's size).
/// \returns false when the watchdog ended a wait: leave the kernel. If that was the wait to
/// acquire, the section has not run.
template <other_lanes Others = other_lanes::competing, class Semaphore, class Section,
          lock_observer Observer = no_observer>
__device__ bool run_with_permits(const Semaphore& semaphore, unsigned permits, Section&& section,
                                 const watchdog_ref& watchdog, Observer&& observer = {}) {
  static_assert(counting_semaphore<Semaphore>, "this type is no ref of a semaphore");
  typename Semaphore::acquisition acquisition = semaphore.enqueue(permits);
  if (!acquire<Others>(semaphore, acquisition, watchdog, observer)) return false;
  section();
  return release(semaphore, acquisition, watchdog, observer);
}

/// Runs section() in all threads of the block while its thread 0 holds `permits`; all threads call
/// this.
/// \returns false, to all threads, when the watchdog ended the wait to acquire; the section has not
/// run: leave the kernel. If it ended the wait to release, the next wait reports that.
template <class Semaphore, class Section, lock_observer Observer = no_observer>
__device__ bool run_block_with_permits(const Semaphore& semaphore, unsigned permits,
                                       Section&& section, const watchdog_ref& watchdog,
                                       Observer&& observer = {}) {
  static_assert(counting_semaphore<Semaphore>, "this type is no ref of a semaphore");
  if constexpr (tried_by_blocks<Semaphore>) {
    return run_tried_by_block(semaphore, permits, section, watchdog, observer);
  } else {
    typename Semaphore::acquisition acquisition;
    bool gave_up = false;
    if (is_first_of_block()) {
      acquisition = semaphore.enqueue(permits);
      gave_up = !acquire<other_lanes::idle>(semaphore, acquisition, watchdog, observer);
    }
    if (__syncthreads_or(gave_up)) return false;
    section();
    __syncthreads();
    if (is_first_of_block()) release(semaphore, acquisition, watchdog, observer);
    return true;
  }
}

}  // namespace finesync::inline FINESYNC_ABI
