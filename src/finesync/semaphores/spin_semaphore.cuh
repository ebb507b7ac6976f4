// SPDX-License-Identifier: Apache-2.0
// Spin semaphore of HeteroSync, as in listings 2.5 and 2.6 of the thesis on scalable GPU barriers
// and semaphores: a mutex protects the count, and a thread acquires it to enter and to leave.
//
// Use: run_with_permits(semaphore_ref, permits, section, watchdog)
// Participants: threads.
// Scope: device.
// Ordering: full fences after the mutex is acquired and before it is released.
// Progress: none is guaranteed. Entries that find too few permits keep taking the mutex, and
//   leaving threads cannot get it: with many waiters this is a livelock. Back-off makes that rarer.
// Residency: of all waiters.
// Fairness: none.
// Traffic: one CAS per attempt, a second atomic per attempt that got the mutex, on one line; the
//   same to leave, without back-off.
// Reset: reset(), or zero the state.
//
// Not as published: an entry checks for free permits before it subtracts, as the text says and the
// listing does not. The size is a separate constant. HeteroSync reads it from the live count, so a
// late block gets a wrong maximum and its writer waits forever.
#pragma once

#include "finesync/semaphores/mutex_semaphore.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Leaving threads compete like any other waiter.
struct no_priority {
  struct state {};
  __device__ static bool blocks_entries(state&) { return false; }
  __device__ static void on_failed_exit(state&) {}
  __device__ static void on_successful_exit(state&) {}
};

template <class Backoff>
using spin_semaphore = mutex_semaphore<no_priority, Backoff>;

}  // namespace finesync::inline FINESYNC_ABI
