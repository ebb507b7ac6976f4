// SPDX-License-Identifier: Apache-2.0
// Array queue lock (Anderson 1990): a thread takes a ticket and polls its own line. The hand-off is
// a release fence and a relaxed store, which on Hopper costs less than a release store. Waiters
// sleep in proportion to their distance from the front. A separate word publishes it, as slots
// cannot. anderson_lock is the same queue in HeteroSync's form.
//
// Use: run_exclusive(locks[index], section, watchdog)
// Participants: threads; any number: beyond Slots waiters, every Slots-th shares a line, which
//   costs polls, not correctness.
// Scope: template parameter.
// Ordering: one acquire fence after the poll that finds the thread's ticket granted; one release
//   fence before the relaxed store that grants the next.
// Progress: FIFO, so starvation-free; every waiter must stay able to run (independent thread
//   scheduling, Volta or later, if lanes of one warp compete).
// Residency: of all waiters.
// Traffic: one fetch-add, one store and two fences per acquisition, one load per poll; in addition,
//   ticket_queue's traffic for sleeping waiters.
// Reset: zero the state.
//
// T. E. Anderson, "The Performance of Spin Lock Alternatives for Shared-Memory Multiprocessors",
// IEEE TPDS 1(1), 1990.
#pragma once

#include "finesync/device/fence.cuh"
#include "finesync/device/polling.cuh"
#include "finesync/locks/ticket_queue.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <scope Scope, class Backoff = proportional_backoff<500, 65536>, unsigned Slots = 16>
class array_lock {
  static_assert((Slots & (Slots - 1)) == 0, "tickets wrap around at 2^32");
  using tickets = ticket_queue<Scope, Backoff>;

  struct alignas(line_bytes) slot {
    cell<std::uint32_t> granted;  ///< last ticket granted through this slot
  };

 public:
  using backoff_policy = Backoff;
  static constexpr unsigned slots = Slots;

  struct state {
    typename tickets::state queue;
    slot slots[Slots];
  };
  using acquisition = typename tickets::acquisition;

  __device__ explicit array_lock(state& s) : queue_(s.queue), slots_(s.slots) {}

  __device__ const void* address() const { return slots_; }
  __device__ acquisition enqueue() { return queue_.enqueue(); }
  __device__ bool try_enter(acquisition& r) { return is_granted(r) && complete_entry(r); }
  __device__ bool try_enter_burst(acquisition& r) {
    return poll_briefly([&] { return is_granted(r); }) && complete_entry(r);
  }
  __device__ void wait(acquisition& r) { queue_.wait(r); }
  __device__ void leave(acquisition& r) {
    fence<memory_order::release, Scope>();
    turn_of(r.ticket + 1).store(r.ticket + 1, memory_order::relaxed);
  }

 private:
  using word = atomic_ref<std::uint32_t, Scope>;

  __device__ word turn_of(std::uint32_t ticket) const {
    return word(slots_[ticket % Slots].granted);
  }
  /// A zeroed array grants ticket 0 through slot 0, and no other slot grants its first ticket.
  __device__ bool is_granted(const acquisition& r) const {
    return turn_of(r.ticket).load(memory_order::relaxed) == r.ticket;
  }
  __device__ bool complete_entry(acquisition& r) {
    fence<memory_order::acquire, Scope>();  // once, not at every poll
    queue_.publish_front(r);
    return true;
  }

  tickets queue_;
  slot* slots_;
};

}  // namespace finesync::inline FINESYNC_ABI
