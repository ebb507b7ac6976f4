// An array queue lock whose hand-off carries the protected word: what grants the next in line its
// turn carries the word too, in one access. A lock with its data elsewhere pays two
// fences and, after them, a read of what another SM has just written; this one pays neither.
//
// Participants: threads; any number (beyond Slots waiters, every Slots-th shares a line).
// Scope: device.
// Ordering: NONE but of the word: request::word is what the last holder left there, and nothing
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
class carrying_lock {
  static_assert((Slots & (Slots - 1)) == 0, "tickets wrap around at 2^32");
  using tickets = ticket_queue<scope::device, Backoff>;
  using carried = carried_word<Word>;

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
  struct request : tickets::request {
    Word word = {};                     ///< the protected word, while inside
    typename carried::slot found = {};  ///< as it came
  };

  __device__ explicit carrying_lock(state& s) : queue_(s.queue), slots_(s.slots) {}

  __device__ request arrive() { return {queue_.arrive()}; }
  __device__ bool enter(request& r) { return is_turn_of(r) && admit(r); }
  __device__ bool enter_alone(request& r) {
    if (!queue_.is_near(r)) return enter(r);  // its polls would delay those who are
    return poll_briefly([&] { return is_turn_of(r); }) && admit(r);
  }
  __device__ void wait(request& r) { queue_.wait(r); }
  __device__ void leave(request& r) {
    carried::store(granted_to(r.ticket + 1), r.ticket + 1, r.word);
    carried::keep_whole(r.found);  // only now, as the next in line waits for what is before it
  }

  /// The word of a lock that nobody uses meanwhile: before and after the kernel that does.
  __device__ Word get() const {
    const auto found = carried::load(granted_to(queue_.drawn()));
    carried::keep_whole(found);
    return carried::word_of(found);
  }
  __device__ void set(const Word& word) {
    const std::uint32_t next = queue_.drawn();
    carried::store(granted_to(next), next, word);
  }

 private:
  __device__ cell<typename carried::slot>& granted_to(std::uint32_t ticket) const {
    return slots_[ticket % Slots].granted;
  }
  __device__ bool is_turn_of(request& r) const {
    r.found = carried::load(granted_to(r.ticket));
    return carried::ticket_of(r.found) == r.ticket;
  }
  __device__ bool admit(request& r) {
    r.word = carried::word_of(r.found);
    queue_.announce(r);
    return true;
  }

  tickets queue_;
  slot* slots_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
