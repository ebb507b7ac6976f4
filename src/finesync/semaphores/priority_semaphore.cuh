// Priority semaphore, listings 3.3 and 3.4 of the thesis on scalable GPU barriers and semaphores:
// the spin semaphore, where those who try to leave raise a word, and nobody tries to enter while it
// is raised.
//
// Participants: threads.
// Scope: device.
// Ordering: full fences after the mutex is taken and before it is given back.
// Progress: whoever leaves meets only others who leave and tries that had begun before, so exits,
//   and with them the semaphore, go on. Entries may starve, writers above all.
//   Residency: of all waiters.
// Fairness: none.
// Traffic: one CAS on the priority word per poll (an atomic, as printed), then as the spin
//   semaphore; a failed try to leave adds an atomic or, a success an atomic and.
// Reset: reset(), or zero the state.
//
// Not as printed: room is looked for before it is taken and the size is a constant, as in
// spin_semaphore.cuh; back-off follows every failed entry, not only one that was held back.
#pragma once

#include "finesync/semaphores/mutex_semaphore.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

/// Those who leave go first.
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
  // Also lowers it for others who are still trying; their next failure raises it again.
  __device__ static void on_successful_exit(state& s) {
    word(s.raised).fetch_and(0, memory_order::relaxed);
  }
};

template <class Backoff>
using priority_semaphore = mutex_semaphore<exits_first, Backoff>;

}  // namespace FINESYNC_ABI
}  // namespace finesync
