// Spin semaphore as printed: HeteroSync's code, of which listings 2.5 and 2.6 of the thesis on
// scalable GPU barriers and semaphores are a part. A mutex protects the count, and a block acquires
// it to enter and to leave.
//
// Use: run_block_with_permits(semaphore_ref, permits, section, watchdog)
// Participants: whole blocks, of which thread 0 acts; or, by run_with_permits(), its thread alone.
// Scope: device.
// Ordering: full fences after the mutex is acquired and before it is released.
// Progress: none is guaranteed. Blocks that find no room keep taking the mutex, and blocks that
// want
//   to leave cannot get it: with many waiters this is a livelock.
// Residency: of all waiters.
// Fairness: none; but while a writer waits no reader enters, so writers starve only each other.
// Traffic: uncontended 1 CAS, 1 exchange and 2 fences to enter, and as many to leave; the count is
//   read and then changed. A try that does not get the mutex is 1 CAS, a try that finds no room 1
//   CAS, 1 exchange and 2 fences. All words are on one line. Block barriers: 5 to enter, 4 to
//   leave, 3 for each try that did not get the mutex, 5 for one that found no room, 2 for each lost
//   exit.
// Reset: reset().
//
// Back-off (steps_by_role) follows a failed try to enter; threads that leave do without.
//
// Not as printed:
// - The size is a constant. HeteroSync reads the maximum from the live count when a block starts; a
//   late block gets a smaller one. Its writer then enters beside others or never.
// - The fence behind the mutex of an exit stands where the CAS succeeded, not where it failed:
//   otherwise an exit may change a count that another has changed since.
// - Thread 0 alone raises the writers' flag, which all threads store there.
// - Listings 2.5 and 2.6 leave out the look for room and the flag, which the text and the code
// have.
#pragma once

#include "finesync/semaphores/printed_semaphore.cuh"
#include "finesync/semaphores/spin_semaphore.cuh"

namespace finesync::inline FINESYNC_ABI {

template <class Backoff>
using spin_printed_semaphore = printed_semaphore<no_priority, Backoff>;

}  // namespace finesync::inline FINESYNC_ABI
