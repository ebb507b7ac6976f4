// SPDX-License-Identifier: Apache-2.0
// Semaphores in whose tries the whole block takes part: its threads meet at a block barrier between
// the steps of thread 0, as in HeteroSync. run_block_with_permits() runs them so.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/semaphores/exit_observer.cuh"

#include <concepts>

namespace finesync::inline FINESYNC_ABI {

/// Besides the members of a counting_semaphore; thread 0 alone calls wait().
///|  bool try_enter_as_block(acquisition&)  one attempt, the same result to all threads
///|  bool leave_as_block(acquisition&)      the same to leave
template <class Semaphore>
concept tried_by_blocks = requires(const Semaphore ref,
                                   typename Semaphore::acquisition acquisition) {
  { ref.try_enter_as_block(acquisition) } -> std::same_as<bool>;
  { ref.leave_as_block(acquisition) } -> std::same_as<bool>;
};

/// One wait of a block: thread 0 counts and waits, and all give up together.
template <class Semaphore, class Try, class Retry>
__device__ bool wait_as_block(const Semaphore& semaphore,
                              typename Semaphore::acquisition& acquisition, bounded_wait wait,
                              Try&& attempt, Retry&& retry) {
  const bool leads = is_first_of_block();
  while (!attempt()) {
    if (leads) retry();
    if (__syncthreads_or(leads && wait.timed_out())) return false;
    if (leads) semaphore.wait(acquisition);
  }
  return true;
}

/// Runs section() in all threads of the block while the block holds `permits`. \returns and gives
/// up as run_block_with_permits().
template <tried_by_blocks Semaphore, class Section, class Observer>
__device__ bool run_tried_by_block(const Semaphore& semaphore, unsigned permits, Section&& section,
                                   const watchdog_ref& watchdog, Observer& observer) {
  const bool leads = is_first_of_block();
  typename Semaphore::acquisition acquisition = semaphore.enqueue(permits);
  if (!wait_as_block(
          semaphore, acquisition, bounded_wait(watchdog, awaited::permits),
          [&] { return semaphore.try_enter_as_block(acquisition); }, [&] { observer.retry(); }))
    return false;
  if (leads) observer.entered();
  section();
  __syncthreads();
  if (leads) observer.leaving();
  __syncthreads();  // HeteroSync's exit begins with one of its own
  const bool left = wait_as_block(
      semaphore, acquisition, bounded_wait(watchdog, awaited::release),
      [&] { return semaphore.leave_as_block(acquisition); }, [] {});
  if constexpr (observes_exits<Observer>) {
    if (leads && left) observer.left();
  }
  return true;
}

}  // namespace finesync::inline FINESYNC_ABI
