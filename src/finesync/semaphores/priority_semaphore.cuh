// SPDX-License-Identifier: Apache-2.0
// Priority semaphore, listings 3.3 and 3.4 of the thesis on scalable GPU barriers and semaphores:
// the spin semaphore with a flag. A thread that fails to leave raises the flag, and no thread tries
// to enter while it is raised.
//
// Use: run_with_permits(semaphore_ref, permits, section, watchdog)
// Participants: threads.
// Scope: device.
// Ordering: full fences after the mutex is acquired and before it is released.
// Progress: a leaving thread competes only with other leaving threads and with entries that had
//   already begun, so exits make progress, and with them the semaphore. Entries may starve,
//   especially writers.
// Residency: of all waiters.
// Fairness: none.
// Traffic: one CAS on the flag per poll (an atomic, as published), then as the spin semaphore; a
//   failed exit adds an atomic OR, a successful exit an atomic AND.
// Reset: reset(), or zero the state.
//
// Not as published: an entry checks for free permits before it takes them, and the size is a
// constant, as in spin_semaphore.cuh. Back-off follows every failed entry, not only one that the
// flag held back.
#pragma once

#include "finesync/semaphores/mutex_semaphore.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Leaving threads have priority.
struct exits_first {
  struct state {
    cell<std::uint32_t> raised;
  };
  using word = atomic_ref<std::uint32_t, scope::device>;

  __device__ static bool blocks_entries(state& s) {
    std::uint32_t found = 0;
    return !word(s.raised).compare_exchange(found, 0, memory_order::relaxed);
  }
  __device__ static void on_failed_exit(state& s) {
    word(s.raised).fetch_or(1, memory_order::relaxed);
  }
  // Also clears it for other threads that still try to leave; their next failure raises it again.
  __device__ static void on_successful_exit(state& s) {
    word(s.raised).fetch_and(0, memory_order::relaxed);
  }
};

template <class Backoff>
using priority_semaphore = mutex_semaphore<exits_first, Backoff>;

}  // namespace finesync::inline FINESYNC_ABI
