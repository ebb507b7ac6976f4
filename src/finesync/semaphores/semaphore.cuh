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

#include <utility>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Waits for the permits of `acquisition`. \returns false when the watchdog ended the wait.
template <other_lanes Others = other_lanes::competing, class Semaphore, class Probe>
__device__ bool acquire(const Semaphore& semaphore, typename Semaphore::acquisition& acquisition,
                        const watchdog_ref& watchdog, Probe& probe) {
  bounded_wait wait(watchdog, awaited::permits);
  while (!try_to_enter<Others>(semaphore, acquisition)) {
    probe.retry();
    if (wait.timed_out()) return false;
    semaphore.wait(acquisition);
  }
  probe.entered();
  return true;
}

/// Gives them back. \returns false, still holding them, when the watchdog ended the wait.
template <class Semaphore, class Probe>
__device__ bool release(const Semaphore& semaphore, typename Semaphore::acquisition& acquisition,
                        const watchdog_ref& watchdog, Probe& probe) {
  probe.leaving();
  bounded_wait wait(watchdog, awaited::release);
  while (!semaphore.leave(acquisition)) {
    if (wait.timed_out()) return false;
    semaphore.wait(acquisition);
  }
  return true;
}

/// Runs section() in the calling thread while holding `permits` (1 to the semaphore's size).
/// \returns false when the watchdog ended the wait to get in, and the section has not run, or the
/// wait to get out. The kernel is then to end.
template <other_lanes Others = other_lanes::competing, class Semaphore, class Section, class Probe>
__device__ bool run_with_permits(const Semaphore& semaphore, unsigned permits, Section&& section,
                                 const watchdog_ref& watchdog, Probe& probe) {
  typename Semaphore::acquisition acquisition = semaphore.enqueue(permits);
  if (!acquire<Others>(semaphore, acquisition, watchdog, probe)) return false;
  section();
  return release(semaphore, acquisition, watchdog, probe);
}

template <other_lanes Others = other_lanes::competing, class Semaphore, class Section>
__device__ bool run_with_permits(const Semaphore& semaphore, unsigned permits, Section&& section,
                                 const watchdog_ref& watchdog) {
  no_observer unwatched;
  return run_with_permits<Others>(semaphore, permits, std::forward<Section>(section), watchdog,
                                  unwatched);
}

/// Runs section() in all threads of the block while its thread 0 holds `permits`; all threads call
/// this. \returns to all of them false when the watchdog ended the wait to get in; the section has
/// not run, and the kernel is to end. A wait to get out that was ended shows at the next wait.
template <class Semaphore, class Section, class Probe>
__device__ bool run_block_with_permits(const Semaphore& semaphore, unsigned permits,
                                       Section&& section, const watchdog_ref& watchdog,
                                       Probe& probe) {
  typename Semaphore::acquisition acquisition;
  bool gave_up = false;
  if (threadIdx.x == 0) {
    acquisition = semaphore.enqueue(permits);
    gave_up = !acquire<other_lanes::idle>(semaphore, acquisition, watchdog, probe);
  }
  if (__syncthreads_or(gave_up)) return false;
  section();
  __syncthreads();
  if (threadIdx.x == 0) release(semaphore, acquisition, watchdog, probe);
  return true;
}

template <class Semaphore, class Section>
__device__ bool run_block_with_permits(const Semaphore& semaphore, unsigned permits,
                                       Section&& section, const watchdog_ref& watchdog) {
  no_observer unwatched;
  return run_block_with_permits(semaphore, permits, std::forward<Section>(section), watchdog,
                                unwatched);
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
