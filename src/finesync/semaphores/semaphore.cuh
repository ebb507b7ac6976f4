// Holding permits of a counting semaphore. A section is written once, as a function object, and
// runs under any semaphore of this folder.
//
// A semaphore of size S has S permits; whoever is inside holds 1 to S of them. Where all take 1, at
// most S are inside. Where readers take 1 and writers S, a writer is alone, and up to S readers are
// together: a reader/writer lock.
//
// The owner, on the host:
//|  X_semaphore(unsigned size)          all permits free; 1 to 2^31. Throws std::invalid_argument
//|                                      for other sizes, std::bad_alloc
//|  void reset()                        frees all permits, whoever holds them
//|  X_semaphore_ref ref() const         trivially copyable, passed to kernels by value
// The ref, in a kernel:
//|  struct acquisition                      what one acquisition keeps in registers
//|  acquisition enqueue(unsigned permits)    begins one: takes a slot in the queue, if there is one;
//|                                      ends the kernel unless these are 1 to the size
//|                                      (require.cuh)
//|  bool try_enter(acquisition&)                tries to get in; acquires on success
//|  bool leave(acquisition&)                tries to give the permits back; releases on success
//|  void wait(acquisition&)                 what to do before trying either again
// and, if that is worth it, try_enter_burst() as locks have it (exclusive.cuh).
// Every semaphore keeps the permits of those between a successful try_enter() and their successful
// leave() at S or fewer in sum. Those who were never inside together are ordered: what the earlier
// did before leave(), also by plain accesses, is visible to the later after try_enter().
//
// Participants are single threads. A block that wants in as a whole sends its thread 0, and puts
// __syncthreads() around its section: run_block_with_permits.
#pragma once

#include "finesync/device/watchdog.cuh"
#include "finesync/locks/exclusive.cuh"

#include <concepts>
#include <type_traits>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Checks the above of a ref, as far as types say it.
template <class Semaphore>
concept counting_semaphore = std::is_trivially_copyable_v<Semaphore> &&
    requires(const Semaphore ref, typename Semaphore::acquisition acquisition, unsigned permits) {
  { ref.enqueue(permits) } -> std::same_as<typename Semaphore::acquisition>;
  { ref.try_enter(acquisition) } -> std::same_as<bool>;
  { ref.leave(acquisition) } -> std::same_as<bool>;
  ref.wait(acquisition);
};

/// Waits for the permits of `acquisition`. \returns false when the watchdog ended the wait.
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

/// Gives them back. \returns false, still holding them, when the watchdog ended the wait.
template <class Semaphore, class Observer>
__device__ bool release(const Semaphore& semaphore, typename Semaphore::acquisition& acquisition,
                        const watchdog_ref& watchdog, Observer& observer) {
  observer.leaving();
  return leave_exclusive(semaphore, acquisition, watchdog);
}

/// Runs section() in the calling thread while holding `permits` (1 to the semaphore's size).
/// \returns false when the watchdog ended the wait to get in, and the section has not run, or the
/// wait to get out. The kernel is then to end.
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
/// this. \returns to all of them false when the watchdog ended the wait to get in; the section has
/// not run, and the kernel is to end. A wait to get out that was ended shows at the next wait.
template <class Semaphore, class Section, lock_observer Observer = no_observer>
__device__ bool run_block_with_permits(const Semaphore& semaphore, unsigned permits,
                                       Section&& section, const watchdog_ref& watchdog,
                                       Observer&& observer = {}) {
  static_assert(counting_semaphore<Semaphore>, "this type is no ref of a semaphore");
  typename Semaphore::acquisition acquisition;
  bool gave_up = false;
  if (threadIdx.x == 0) {
    acquisition = semaphore.enqueue(permits);
    gave_up = !acquire<other_lanes::idle>(semaphore, acquisition, watchdog, observer);
  }
  if (__syncthreads_or(gave_up)) return false;
  section();
  __syncthreads();
  if (threadIdx.x == 0) release(semaphore, acquisition, watchdog, observer);
  return true;
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
