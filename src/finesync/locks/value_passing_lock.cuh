// SPDX-License-Identifier: Apache-2.0
// An array queue lock whose hand-off passes the protected word: one access grants the next thread
// its turn and gives it the word. A lock with separate data needs two fences and then a read of
// data that another SM has just written. This lock needs neither.
//
// Use: run_exclusive(locks[index], section, watchdog)  // section(word) may change the word
// Participants: threads; any number (beyond Slots waiters, every Slots-th shares a line).
// Scope: device.
// Ordering: the word only. acquisition::value is what the previous holder left. Its other writes
//   are not guaranteed to be visible. A section is a function of the word (at most 96 bits). Beyond
//   PTX: two stores to one slot, a lap apart and by different threads, are ordered only through
//   relaxed accesses. The lock relies on the L2 to perform accesses to one address in order.
// Progress: FIFO, so starvation-free; every waiter must stay able to run (independent thread
//   scheduling, Volta or later, if lanes of one warp compete).
// Residency: of all waiters.
// Traffic: one fetch-add and one store per acquisition, one load per poll (64 bits, or 128 for a
//   word beyond 32 bits); no fence; in addition, ticket_queue's traffic for sleeping waiters.
// Reset: zero the state; the word is then zero too, unless set() changes it.
//
// The word is passed as in a message that is its own flag (device/ptx/message_128.cuh).
#pragma once

#include "finesync/device/polling.cuh"
#include "finesync/locks/ticket_and_value.cuh"
#include "finesync/locks/ticket_queue.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <scope Scope, class Word = std::uint32_t, class Backoff = proportional_backoff<200, 65536>,
          unsigned Slots = 4>
class value_passing_lock {
  static_assert(Scope == scope::device, "a value_passing_lock has device scope");
  static_assert((Slots & (Slots - 1)) == 0, "tickets wrap around at 2^32");
  using tickets = ticket_queue<scope::device, Backoff>;
  using passed_value = ticket_and_value<Word>;

  struct alignas(line_bytes) slot {
    cell<typename passed_value::slot> granted;  ///< last ticket granted here, with the word
  };

 public:
  using backoff_policy = Backoff;
  static constexpr unsigned slots = Slots;

  struct state {
    typename tickets::state queue;
    slot slots[Slots];
  };
  struct acquisition : tickets::acquisition {
    Word value = {};                         ///< protected word, while the lock is held
    typename passed_value::slot found = {};  ///< slot as loaded
  };

  __device__ explicit value_passing_lock(state& s) : queue_(s.queue), slots_(s.slots) {}

  __device__ const void* address() const { return slots_; }
  __device__ acquisition enqueue() { return {queue_.enqueue()}; }
  __device__ bool try_enter(acquisition& r) { return is_granted(r) && complete_entry(r); }
  __device__ bool try_enter_burst(acquisition& r) {
    if (!queue_.is_near(r)) return try_enter(r);  // its polls would delay the waiters that are near
    return poll_briefly([&] { return is_granted(r); }) && complete_entry(r);
  }
  __device__ void wait(acquisition& r) { queue_.wait(r); }
  __device__ void leave(acquisition& r) {
    passed_value::store(granted_to(r.ticket + 1), r.ticket + 1, r.value);
    passed_value::keep_128_bits(
        r.found);  // only now, as the next waiter waits for everything before it
  }

  /// get() and set() access the word of a lock that no thread uses: before and after its kernel.
  __device__ Word get() const {
    const auto found = passed_value::load(granted_to(queue_.tickets_drawn()));
    passed_value::keep_128_bits(found);
    return passed_value::value_of(found);
  }
  __device__ void set(const Word& word) {
    const std::uint32_t next = queue_.tickets_drawn();
    passed_value::store(granted_to(next), next, word);
  }

 private:
  __device__ cell<typename passed_value::slot>& granted_to(std::uint32_t ticket) const {
    return slots_[ticket % Slots].granted;
  }
  __device__ bool is_granted(acquisition& r) const {
    r.found = passed_value::load(granted_to(r.ticket));
    return passed_value::ticket_of(r.found) == r.ticket;
  }
  __device__ bool complete_entry(acquisition& r) {
    r.value = passed_value::value_of(r.found);
    queue_.publish_front(r);
    return true;
  }

  tickets queue_;
  slot* slots_;
};

}  // namespace finesync::inline FINESYNC_ABI
