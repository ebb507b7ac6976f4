// SPDX-License-Identifier: Apache-2.0
// Anderson's array lock in HeteroSync's form ("sleeping mutex"): a ticket lock in which each waiter
// polls its own line, and a release writes only the next waiter's line.
//
// Use: run_exclusive(locks[index], section, watchdog)
// Participants: threads; any number: beyond Slots waiters, every Slots-th shares a line (a
//   partitioned ticket lock), which costs polls, not correctness.
// Scope: template parameter.
// Ordering: acquire when a thread reads its own ticket, release when it grants the next.
// Progress: FIFO, so starvation-free; every waiter must stay able to run (independent thread
//   scheduling, Volta or later, if lanes of one warp compete).
// Residency: of all waiters.
// Traffic: one fetch-add per acquisition, one load per poll, one store per release.
// Reset: zero the state.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"
#include "finesync/device/fence.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <scope Scope, class Backoff = proportional_backoff<500, 65536>, unsigned Slots = 16>
class anderson_lock {
  static_assert((Slots & (Slots - 1)) == 0, "tickets wrap around at 2^32");

  struct alignas(line_bytes) slot {
    cell<std::uint32_t> granted;  ///< last ticket granted through this slot
  };

 public:
  using backoff_policy = Backoff;
  static constexpr unsigned slots = Slots;

  struct state {
    alignas(line_bytes) cell<std::uint32_t> next;
    slot slots[Slots];
  };
  struct acquisition {
    Backoff backoff;
    std::uint32_t ticket = 0;
    std::uint32_t ahead = 0;
  };

  __device__ explicit anderson_lock(state& s) : state_(s) {}

  __device__ const void* address() const { return &state_; }
  __device__ acquisition enqueue() {
    return {.backoff = {}, .ticket = word(state_.next).fetch_add(1, memory_order::relaxed)};
  }
  __device__ bool try_enter(acquisition& r) {
    // A zeroed ring grants ticket 0 through slot 0, and no other slot grants its first ticket.
    const std::uint32_t granted = turn_of(r.ticket).load(memory_order::relaxed);
    r.ahead = r.ticket - granted;
    if (r.ahead != 0) return false;
    fence<memory_order::acquire, Scope>();  // once, not at every poll
    return true;
  }
  /// A slot gives the distance only to within Slots; near the front every waiter polls.
  __device__ void wait(acquisition& r) {
    r.backoff.wait(r.ahead < Slots ? 1 : r.ahead - Slots + 1);
  }
  __device__ void leave(acquisition& r) {
    turn_of(r.ticket + 1).store(r.ticket + 1, memory_order::release);
  }

 private:
  using word = atomic_ref<std::uint32_t, Scope>;

  __device__ word turn_of(std::uint32_t ticket) const {
    return word(state_.slots[ticket % Slots].granted);
  }

  state& state_;
};

}  // namespace finesync::inline FINESYNC_ABI
