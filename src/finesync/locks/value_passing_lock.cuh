// An array queue lock whose hand-off carries the protected word: what grants the next in line its
// turn carries the word too, in one access. A lock with its data elsewhere pays two
// fences and, after them, a read of what another SM has just written; this one pays neither.
//
// Participants: threads; any number (beyond Slots waiters, every Slots-th shares a line).
// Scope: device.
// Ordering: NONE but of the word: acquisition::word is what the last holder left there, and nothing
//   else that it did is visible for certain. A section is a function of the word (at most 96 bits).
//   The lock relies on more than the PTX model promises: two stores to one slot, a lap apart, by
//   different threads, are ordered by relaxed accesses alone. One word has one place in the L2,
//   which takes them in that order.
// Progress: FIFO, so starvation-free; every waiter must stay able to run (independent thread
//   scheduling, Volta or later, when lanes of one warp compete).
// Residency: of all waiters.
// Traffic: one fetch-add and one store per acquisition, one load per poll (64 bits, or 128 for a
//   word beyond 32 bits); no fence; ticket_queue adds what the sleepers need.
// Reset: zero the state; the word is then zero too, unless set() changes it.
//
// Delegated data in the lock: as the message that is its own flag (device/ptx/message_128.cuh).
#pragma once

#include "finesync/device/polling.cuh"
#include "finesync/locks/ticket_and_value.cuh"
#include "finesync/locks/ticket_queue.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

template <class Word, class Backoff, unsigned Slots = 16>
class value_passing_lock {
  static_assert((Slots & (Slots - 1)) == 0, "tickets wrap around at 2^32");
  using tickets = ticket_queue<scope::device, Backoff>;
  using carried = ticket_and_value<Word>;

  struct alignas(line_bytes) slot {
    cell<typename carried::slot> granted;  ///< the last ticket let in here, with the word
  };

 public:
  using backoff_policy = Backoff;
  static constexpr unsigned slots = Slots;

  struct state {
    typename tickets::state queue;
    slot slots[Slots];
  };
  struct acquisition : tickets::acquisition {
    Word word = {};                     ///< the protected word, while inside
    typename carried::slot found = {};  ///< as it came
  };

  __device__ explicit value_passing_lock(state& s) : queue_(s.queue), slots_(s.slots) {}

  __device__ acquisition enqueue() { return {queue_.enqueue()}; }
  __device__ bool try_enter(acquisition& r) { return is_granted(r) && complete_entry(r); }
  __device__ bool try_enter_burst(acquisition& r) {
    if (!queue_.is_near(r)) return try_enter(r);  // its polls would delay those who are
    return poll_briefly([&] { return is_granted(r); }) && complete_entry(r);
  }
  __device__ void wait(acquisition& r) { queue_.wait(r); }
  __device__ void leave(acquisition& r) {
    carried::store(granted_to(r.ticket + 1), r.ticket + 1, r.word);
    carried::keep_128_bits(r.found);  // only now, as the next in line waits for what is before it
  }

  /// The word of a lock that nobody uses meanwhile: before and after the kernel that does.
  __device__ Word get() const {
    const auto found = carried::load(granted_to(queue_.tickets_drawn()));
    carried::keep_128_bits(found);
    return carried::word_of(found);
  }
  __device__ void set(const Word& word) {
    const std::uint32_t next = queue_.tickets_drawn();
    carried::store(granted_to(next), next, word);
  }

 private:
  __device__ cell<typename carried::slot>& granted_to(std::uint32_t ticket) const {
    return slots_[ticket % Slots].granted;
  }
  __device__ bool is_granted(acquisition& r) const {
    r.found = carried::load(granted_to(r.ticket));
    return carried::ticket_of(r.found) == r.ticket;
  }
  __device__ bool complete_entry(acquisition& r) {
    r.word = carried::word_of(r.found);
    queue_.publish_front(r);
    return true;
  }

  tickets queue_;
  slot* slots_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
