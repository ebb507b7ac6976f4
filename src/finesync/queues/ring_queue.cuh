// SPDX-License-Identifier: Apache-2.0
// The two ends of a queue, and the waits at them. What a slot holds, and how it shows that it is
// free or full, is the ring's part: slot_queue.cuh, segment_queue.cuh, sequence_ring.cuh.
//
// A ticket counts the items of one end since the reset. The slot of ticket t is t modulo the
// capacity, its lap the rest. A producer waits until the item of the lap before has left its slot,
// a consumer until the item of its lap is there.
//
// Use: queue.reserve_push<Items>(by_warp::all()), or by_warp::where(), by_block, and
//   queue.put(place, items, watchdog) with its result; queue.reserve_pop<Items>() the same way, and
//   queue.take(place, watchdog).
// Participants: whole warps; each call by all lanes of a warp, and reserving by_block by all
//   threads of the block.
// Progress: FIFO by ticket. A place that is held and not used stops all later ones, at both
//   ends. A lane puts or takes as soon as its own slot allows it, so a ring may be smaller than the
//   lanes in flight. Threads that push before they pop need room for all that they push: else
//   all may wait for space, and none pops; or they try_put(), and pop in between.
// Given-up waits: a put() or take() that the watchdog ends, and a try_put() or try_take(), keep the
//   place for what is missing; a later call goes on with it. Else an item would be lost.
// Closing: no place at the tail is reserved after close(). Places at the head after the last item
//   get no item; the queue then needs a reset.
// Residency: of all participants.
// Fairness: order of tickets at each end.
// Traffic: one addition per warp or block and call; per item what the ring says. Between blocks,
//   tail and head are on lines that queue_lines.cuh chooses.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/queues/place.cuh"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// How a take() ended, in all lanes of the warp alike.
enum class taking {
  complete,    ///< all items of the place are there
  closed,      ///< some are not, and never will be: the queue is closed
  incomplete,  ///< some are not yet, and the wait is over; the place is kept for them
};

template <class Type, unsigned Items>
struct popped {
  Type item[Items] = {};
  std::uint64_t ticket[Items] = {};  ///< of each item, its place in the queue's order
  unsigned taken = 0;                ///< bit k: this call has taken item[k]
  taking how = taking::complete;

  __device__ bool has(unsigned k) const { return (taken >> k & 1) != 0; }
};

/// How the end of a queue becomes known; zero at first.
struct queue_closing {
  /// The final tail with a bit above it; 0 while the queue is open.
  cell<std::uint64_t> closed;
  cell<std::uint32_t> producers_done;
};

/// Where the words are that all participants share; zero at first.
template <class Ticket>
struct queue_ends {
  cell<Ticket>* tail;
  cell<Ticket>* head;
  queue_closing* closing;
};

/// The device side; trivially copyable.
template <class Ring>
class ring_queue {
 public:
  using item_type = typename Ring::item_type;
  using ring_type = Ring;
  using ticket = typename Ring::ticket;
  using ends = queue_ends<ticket>;
  template <unsigned Items>
  using push_place = queue_place<queue_end::tail, Items, ticket>;
  template <unsigned Items>
  using pop_place = queue_place<queue_end::head, Items, ticket>;

  __host__ __device__ ring_queue(const ends& shared, const Ring& ring)
      : ends_(shared), ring_(ring) {}

  /// Shared memory that join() takes, in bytes.
  __host__ __device__ std::size_t shared_bytes() const { return ring_.shared_bytes(); }
  /// The queue for the threads of a block, which call this together before any other member.
  __device__ ring_queue join(unsigned char* shared = nullptr) const {
    return {ends_, ring_.join(shared)};
  }

  /// Takes places, without a wait. Empty if the asker has left, or asks for no lane.
  template <unsigned Items = 1, class Asker>
  __device__ __forceinline__ push_place<Items> reserve_push(Asker&& asker) const {
    return asker.template places<push_place<Items>, Items>(
        [&](unsigned count) { return word(*ends_.tail).fetch_add(count, memory_order::relaxed); });
  }
  template <unsigned Items = 1, class Asker>
  __device__ __forceinline__ pop_place<Items> reserve_pop(Asker&& asker) const {
    return asker.template places<pop_place<Items>, Items>(
        [&](unsigned count) { return word(*ends_.head).fetch_add(count, memory_order::relaxed); });
  }

  /// Looks once which slots of the place are free; put() then need not look at them. For a place
  /// that was reserved long before its items are known.
  template <unsigned Items>
  __device__ __forceinline__ void look_ahead(push_place<Items>& place) const {
    look_at_free(place);
  }

  /// Puts the items of the place. \returns false, in all lanes of the warp, if the watchdog ended
  /// the wait: the place then keeps the items that are still to be put, for another call with the
  /// same items.
  template <unsigned Items>
  __device__ __forceinline__ bool put(push_place<Items>& place, const item_type (&items)[Items],
                                      const watchdog_ref& watchdog) const {
    release_earlier_writes();
    bounded_wait wait(watchdog, awaited::queue_space);
    while (!put_what_fits(place, items))
      if (__any_sync(all_lanes, wait.timed_out(this_queue()))) return false;
    return true;
  }
  /// The same with one look at each slot in place of a wait.
  template <unsigned Items>
  __device__ __forceinline__ bool try_put(push_place<Items>& place,
                                          const item_type (&items)[Items]) const {
    release_earlier_writes();
    return put_what_fits(place, items);
  }

  /// Takes the items of the place as they come.
  template <unsigned Items>
  __device__ __forceinline__ popped<item_type, Items> take(pop_place<Items>& place,
                                                           const watchdog_ref& watchdog) const {
    popped<item_type, Items> got;
    bounded_wait wait(watchdog, awaited::queue_item);
    for (unsigned polls = 1;; ++polls) {
      got.how = take_what_is_there(place, got, polls % polls_per_look_at_closed == 0);
      if (got.how != taking::incomplete || __any_sync(all_lanes, wait.timed_out(this_queue())))
        break;
    }
    acquire_earlier_writes();
    return got;
  }
  /// The same with one look at each slot in place of a wait.
  template <unsigned Items>
  __device__ __forceinline__ popped<item_type, Items> try_take(pop_place<Items>& place) const {
    popped<item_type, Items> got;
    got.how = take_what_is_there(place, got, true);
    acquire_earlier_writes();
    return got;
  }

  /// Says that no more places at the tail will be reserved. By one thread, after all of them.
  __device__ void close() const {
    const ticket last = word(*ends_.tail).load(memory_order::relaxed);
    closed_word(ends_.closing->closed).store(last | closed_bit, memory_order::relaxed);
  }
  /// Counts a producer that reserves no more places; the last of `producers` closes the queue. By
  /// one thread of each, after its reservations.
  __device__ void leave(unsigned producers) const {
    using count = atomic_ref<std::uint32_t, Ring::reach>;
    if (count(ends_.closing->producers_done).fetch_add(1, memory_order::acq_rel) + 1 == producers)
      close();
  }

 private:
  using word = atomic_ref<ticket, Ring::reach>;
  using closed_word = atomic_ref<std::uint64_t, Ring::reach>;
  static constexpr std::uint64_t closed_bit = std::uint64_t{1} << 63;
  static constexpr unsigned all_lanes = 0xffffffffu;
  static constexpr unsigned polls_per_look_at_closed = 8;

  __device__ auto this_queue() const {
    return [where = ends_.head] { return wait_evidence{.where = where}; };
  }
  __device__ static void release_earlier_writes() {
    if constexpr (Ring::orders_memory) fence<memory_order::release, Ring::reach>();
  }
  __device__ static void acquire_earlier_writes() {
    if constexpr (Ring::orders_memory) fence<memory_order::acquire, Ring::reach>();
  }

  // All loads before the first use: their trips to the L2 overlap.
  template <unsigned Items>
  __device__ __forceinline__ void look_at_free(push_place<Items>& place) const {
    typename Ring::space_look seen[Items] = {};
    const unsigned unknown = place.left & ~place.ready;
    for (unsigned k = 0; k < Items; ++k)
      if ((unknown >> k & 1) != 0) seen[k] = ring_.look_at_space(place.ticket(k));
    for (unsigned k = 0; k < Items; ++k)
      if ((unknown >> k & 1) != 0 && ring_.is_free(seen[k], place.ticket(k)))
        place.ready |= 1u << k;
  }

  // Whether all are put. A lane puts as soon as its own slot is free: those of a ring smaller than
  // the lanes in flight become free only then.
  template <unsigned Items>
  __device__ __forceinline__ bool put_what_fits(push_place<Items>& place,
                                                const item_type (&items)[Items]) const {
    look_at_free(place);
    for (unsigned k = 0; k < Items; ++k) {
      if (!place.lacks(k) || (place.ready >> k & 1) == 0) continue;
      ring_.put(place.ticket(k), items[k]);
      place.done(k);
    }
    if (__all_sync(all_lanes, place.left == 0) == 0) return false;
    place = {};
    return true;
  }

  template <unsigned Items>
  __device__ __forceinline__ taking take_what_is_there(pop_place<Items>& place,
                                                       popped<item_type, Items>& got,
                                                       bool may_be_closed) const {
    // Before the looks at the items, whose trips to the L2 then hide this one's.
    const std::uint64_t closed =
        may_be_closed ? closed_word(ends_.closing->closed).load(memory_order::relaxed) : 0;
    typename Ring::item_look seen[Items] = {};
    for (unsigned k = 0; k < Items; ++k)
      if (place.lacks(k)) seen[k] = ring_.look_at_item(place.ticket(k));
    for (unsigned k = 0; k < Items; ++k) {
      if (!place.lacks(k) || !ring_.take(seen[k], place.ticket(k), got.item[k])) continue;
      got.ticket[k] = place.ticket(k);
      got.taken |= 1u << k;
      place.done(k);
    }
    if (__all_sync(all_lanes, place.left == 0)) {
      ring_.passed(place, Items);
      place = {};
      return taking::complete;
    }
    if (!may_be_closed || !__all_sync(all_lanes, is_past_end(place, closed)))
      return taking::incomplete;
    place = {};
    return taking::closed;
  }

  // Tickets may begin again at 0; two that are compared are less than half of all apart.
  __device__ static bool is_before(ticket a, ticket b) {
    return static_cast<std::make_signed_t<ticket>>(a - b) < 0;
  }

  // Whether no item that the place lacks will ever come.
  template <unsigned Items>
  __device__ static bool is_past_end(const pop_place<Items>& place, std::uint64_t closed) {
    const auto last = static_cast<ticket>(closed & ~closed_bit);
    bool past = (closed & closed_bit) != 0;
    for (unsigned k = 0; k < Items; ++k)
      if (place.lacks(k)) past = past && !is_before(place.ticket(k), last);
    return past;
  }

  ends ends_;
  Ring ring_;
};

}  // namespace finesync::inline FINESYNC_ABI
