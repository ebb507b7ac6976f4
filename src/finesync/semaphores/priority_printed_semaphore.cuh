// Priority semaphore as printed: listings 3.3 and 3.4 of the thesis on scalable GPU barriers and
// semaphores. It is the spin semaphore with a flag that an exit raises when it does not get the
// mutex. Those who want to enter look at the flag before each try, and back off while it is up.
//
// Use: run_block_with_permits(semaphore_ref, permits, section, watchdog)
// Participants: whole blocks, of which thread 0 acts; or, by run_with_permits(), its thread alone.
// Scope: device.
// Ordering: as of the spin semaphore. The flag orders nothing.
// Progress: an exit competes with other exits and with tries that began before, so exits make
//   progress. Entries may starve.
// Residency: of all waiters.
// Fairness: none; while a writer waits no reader enters.
// Traffic: as of the spin semaphore, and 1 CAS on the flag before each try to enter, 1 atomic OR
//   after each failed exit, 1 atomic AND after each exit. All words are on one line.
// Reset: reset().
//
// DoBackoff (doubling_steps) stands where the listing has it: while the flag is up, and nowhere
// else. A try that loses the mutex is followed by the next look at once. `Backoff` is the thesis's
// PriorSemEBO, which is not printed: HeteroSync's back-off after a try that failed, as well.
//
// Not as printed: an entry looks for room and heeds waiting writers as in
// spin_printed_semaphore.cuh, which the listings leave out, and block barriers stand as there. A
// look that finds the flag up costs a block as many barriers as a lost try. The release of the
// mutex that listing 3.3 lacks is that of listing 2.5.
#pragma once

#include "finesync/semaphores/printed_semaphore.cuh"
#include "finesync/semaphores/priority_semaphore.cuh"

namespace finesync::inline FINESYNC_ABI {

template <class Backoff>
class priority_printed_semaphore : public printed_semaphore<exits_first, Backoff> {
 public:
  static constexpr unsigned held_back_max_ns = doubling_steps::max_ns;

  using printed_semaphore<exits_first, Backoff>::printed_semaphore;
};

}  // namespace finesync::inline FINESYNC_ABI
