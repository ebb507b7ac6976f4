// SPDX-License-Identifier: Apache-2.0
// Spin semaphore as printed: HeteroSync's code, abridged in listings 2.5 and 2.6 of the thesis on
// scalable GPU barriers and semaphores. A mutex protects the count, and a block acquires it to
// enter and to leave.
//
// Use: run_block_with_permits(semaphore_ref, permits, section, watchdog)
// Participants: whole blocks, in which thread 0 acts; with run_with_permits(), single threads.
// Scope: device.
// Ordering: full fences after the mutex is acquired and before it is released.
// Progress: none is guaranteed. Entries that find no room keep taking the mutex, and leaving blocks
//   cannot get it: with many waiters this is a livelock.
// Residency: of all waiters.
// Fairness: none; but no reader enters while a writer waits, so only writers starve writers.
// Traffic: uncontended, 1 CAS, 1 exchange and 2 fences to enter, and the same to leave; the count
//   is read and then changed. A try that does not get the mutex is 1 CAS; one that finds no room is
//   1 CAS, 1 exchange and 2 fences. All words are on one line. Block barriers: 5 to enter and 4 to
//   leave; 3 per try without the mutex, 5 per try without room, 2 per failed exit.
// Reset: reset().
//
// Back-off (steps_by_role) follows a failed try to enter, and no failed exit.
//
// Not as printed:
// - The maximum is a constant. HeteroSync's blocks read it from the live count when they start, so
//   a late block may get a smaller one: its writer then enters beside others, or waits forever.
// - The first fence of an exit follows the CAS that got the mutex. HeteroSync's follows those that
//   did not, so an exit may change a count that it has not yet seen.
// - Thread 0 alone raises the flag of waiting writers, to which all threads of the block store
// there.
// - Room and the flag are looked at, as the text says and the code does; the listings do neither.
#pragma once

#include <finesync/semaphores/spin_semaphore.cuh>
#include <workloads/printed/semaphores/printed_semaphore.cuh>

namespace finesync::inline FINESYNC_ABI {

template <class Backoff>
using spin_printed_semaphore = printed_semaphore<no_priority, Backoff>;

}  // namespace finesync::inline FINESYNC_ABI
