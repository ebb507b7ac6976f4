// Spin semaphore of HeteroSync, as in listings 2.5 and 2.6 of the thesis on scalable GPU barriers
// and semaphores: the count is behind a mutex, which one must hold to enter and also to leave.
//
// Participants: threads.
// Scope: device.
// Ordering: full fences after the mutex is taken and before it is given back.
// Progress: none is promised. Entries that find no room keep taking the mutex, and those who would
//   make room cannot get it: with many waiters this is a livelock. Back-off makes that rarer.
//   Residency: of all waiters.
// Fairness: none.
// Traffic: one CAS per try, a second atomic per try that got the mutex, on one line; the same to
//   leave, without back-off.
// Reset: reset(), or zero the state.
//
// Not as printed: an entry looks for room before it subtracts, as the text says and the listing
// does not; and the size is a constant of its own, where HeteroSync reads it from the live count,
// so that a late block gets a wrong maximum and its writer waits for ever.
#pragma once

#include "finesync/semaphores/mutex_semaphore.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

/// Those who leave are waiters like any other.
struct no_priority {
  struct state {};
  __device__ static bool blocks_entries(state&) { return false; }
  __device__ static void on_failed_exit(state&) {}
  __device__ static void on_successful_exit(state&) {}
};

template <class Backoff>
using spin_semaphore = mutex_semaphore<no_priority, Backoff>;

}  // namespace FINESYNC_ABI
}  // namespace finesync
