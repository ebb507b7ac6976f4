// The queue of an MCS lock: each participant has a node, knows who comes after it, and is told by
// who came before it. Where nodes lie, and what one tells the next, is the lock's affair.
//
// Participants: those that Places numbers; each in the queue once at a time.
// Ordering: joining orders a node's set-up before its use by neighbours; poll() acquires what was
//   released before tell(). Release is the caller's: a fence before tell() and close().
// Progress: FIFO. A participant's link follows its exchange at once, so that waiting for it is
//   short; but it must be able to run.
// Traffic: per passage one exchange, up to four stores, and up to four fences, of which two while
//   others hold the lock; a poll is two loads, of the participant's own line.
//
// Places offers
//   static constexpr scope reach          which threads take part
//   using message                         an integer; 0 means not told yet
//   own_atomic<T>                         atomic_ref to words of the caller's own node
//   cell<std::uint32_t>& tail()           the queue's own word; 0 when it is empty
//   std::uint32_t self()                  the caller's number
//   node& own(), node& of(number)         { cell<std::uint32_t> next; cell<message> told; }
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/looks.cuh"

#include <cstdint>

namespace finesync {

template <class Places>
class mcs_queue {
 public:
  using message = typename Places::message;
  struct request {
    std::uint32_t self = 0;
    std::uint32_t next = 0;  ///< the number after me, plus one; 0 while I know of none
    bool is_first = false;   ///< found the queue empty: nobody will tell

    __device__ bool knows_next() const { return next != 0; }
  };

  __device__ explicit mcs_queue(const Places& places) : places_(places) {}

  __device__ request arrive() {
    const std::uint32_t self = places_.self();
    own_word(places_.own().next).store(0, memory_order::relaxed);
    own_letter(places_.own().told).store(0, memory_order::relaxed);
    fence<memory_order::release, Places::reach>();
    const std::uint32_t before = word(places_.tail()).exchange(self + 1, memory_order::relaxed);
    fence<memory_order::acquire, Places::reach>();
    if (before != 0) word(places_.of(before - 1).next).store(self + 1, memory_order::relaxed);
    return {self, 0, before == 0};
  }

  /// What the one before has told; 0: nothing yet. Looks for the one after on the same occasion,
  /// when that costs nothing and the fence covers it.
  __device__ message poll(request& r) {
    const message told = look(r);
    if (told != 0) fence<memory_order::acquire, Places::reach>();
    return told;
  }
  /// The same some times in a row, see looks.cuh.
  __device__ message poll_alone(request& r) {
    message told = 0;
    const auto is_told = [&] {
      told = look(r);
      return told != 0;
    };
    if (seen_soon(is_told)) fence<memory_order::acquire, Places::reach>();
    return told;
  }
  /// Has poll() return `what` without another's doing.
  __device__ void tell_self(message what) {
    own_letter(places_.own().told).store(what, memory_order::relaxed);
  }

  /// Looks for one to tell; false when there is none yet.
  __device__ bool find_next(request& r) {
    r.next = own_word(places_.own().next).load(memory_order::relaxed);
    if (r.next == 0) return false;
    fence<memory_order::acquire, Places::reach>();  // its node is set up
    return true;
  }
  /// Where the one after is told.
  __device__ atomic_ref<message, Places::reach> heir(const request& r) const {
    return letter(places_.of(r.next - 1).told);
  }

  /// Leaves the queue empty; false when somebody has come, whose link is on its way.
  __device__ bool close(const request& r) {
    std::uint32_t me = r.self + 1;
    return word(places_.tail()).compare_exchange(me, 0, memory_order::relaxed);
  }

 private:
  using word = atomic_ref<std::uint32_t, Places::reach>;
  using letter = atomic_ref<message, Places::reach>;
  using own_word = typename Places::template own_atomic<std::uint32_t>;
  using own_letter = typename Places::template own_atomic<message>;

  __device__ message look(request& r) const {
    const message told = own_letter(places_.own().told).load(memory_order::relaxed);
    r.next = own_word(places_.own().next).load(memory_order::relaxed);
    return told;
  }

  Places places_;
};

}  // namespace finesync
