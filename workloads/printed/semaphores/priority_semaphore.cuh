// SPDX-License-Identifier: Apache-2.0
// Priority semaphore as printed: listings 3.3 and 3.4 of the thesis on scalable GPU barriers and
// semaphores. It is the spin semaphore with a flag that an exit raises when it does not get the
// mutex. Entries look at the flag before each try, and back off while it is raised.
//
// Use: run_block_with_permits(semaphore_ref, permits, section, watchdog)
// Participants: whole blocks, in which thread 0 acts; with run_with_permits(), single threads.
// Scope: device.
// Ordering: as for the spin semaphore. The flag orders nothing.
// Progress: an exit competes only with other exits and with tries that had already begun, so exits
//   make progress. Entries may starve.
// Residency: of all waiters.
// Fairness: none; but no reader enters while a writer waits.
// Traffic: as for the spin semaphore, plus 1 CAS on the flag before each try to enter, 1 atomic OR
//   after each failed exit, and 1 atomic AND after each exit. All words are on one line.
// Reset: reset().
//
// DoBackoff (doubling_steps) is where the listing has it: while the flag is raised, and nowhere
// else. A try that loses the mutex is followed at once by the next look at the flag. With `Backoff`
// steps_by_role, HeteroSync's back-off also follows a failed try: our reading of the thesis's
// PriorSemEBO, which is not printed.
//
// Not as printed: room and waiting writers are looked at, as in spin_semaphore.cuh; block
// barriers are those of that semaphore, and a look that finds the flag raised has as many as a lost
// try; the mutex, which listing 3.3 does not release, is released as in listing 2.5.
#pragma once

#include <finesync/semaphores/priority_semaphore.cuh>
#include <workloads/printed/semaphores/printed_semaphore.cuh>

namespace finesync::inline FINESYNC_ABI {

template <class Backoff>
class priority_printed_semaphore : public printed_semaphore<exits_first, Backoff> {
 public:
  static constexpr unsigned held_back_max_ns = doubling_steps::max_ns;

  using printed_semaphore<exits_first, Backoff>::printed_semaphore;
};

}  // namespace finesync::inline FINESYNC_ABI
