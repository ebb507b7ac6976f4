// SPDX-License-Identifier: Apache-2.0
// Ticket lock: a thread takes a ticket and waits until it is served.
//
// Use: run_exclusive(locks[index], section, watchdog)
// Participants: threads; fewer than 2^32 at a time.
// Scope: template parameter.
// Ordering: acquire when a thread's ticket is served, release when it serves the next.
// Progress: FIFO, so starvation-free; every waiter must stay able to run (independent thread
//   scheduling, Volta or later, if lanes of one warp compete).
// Residency: of all waiters.
// Traffic: one fetch-add per acquisition, one load per poll, one store per release; all waiters
//   poll the same line.
// Reset: zero the state.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"
#include "finesync/device/fence.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <scope Scope, class Backoff = proportional_backoff<500, 65536>>
class ticket_lock {
 public:
  using backoff_policy = Backoff;

  struct state {
    cell<std::uint32_t> next;
    cell<std::uint32_t> serving;
  };
  struct acquisition {
    Backoff backoff;
    std::uint32_t ticket = 0;
    std::uint32_t ahead = 0;
  };

  __device__ explicit ticket_lock(state& s) : next_(s.next), serving_(s.serving) {}

  __device__ const void* address() const { return next_.where(); }
  __device__ acquisition enqueue() {
    return {.backoff = {}, .ticket = next_.fetch_add(1, memory_order::relaxed)};
  }
  __device__ bool try_enter(acquisition& r) {
    r.ahead = r.ticket - serving_.load(memory_order::relaxed);
    if (r.ahead != 0) return false;
    fence<memory_order::acquire, Scope>();  // once, not at every poll
    return true;
  }
  __device__ void wait(acquisition& r) { r.backoff.wait(r.ahead); }
  __device__ void leave(acquisition& r) { serving_.store(r.ticket + 1, memory_order::release); }

 private:
  atomic_ref<std::uint32_t, Scope> next_;
  atomic_ref<std::uint32_t, Scope> serving_;
};

}  // namespace finesync::inline FINESYNC_ABI
