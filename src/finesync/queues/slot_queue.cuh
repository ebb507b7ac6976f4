// SPDX-License-Identifier: Apache-2.0
// The queue for items that come one by one: a slot's word says all, its item, its lap, and whether
// it is free.
//
// A producer looks at its slot's word until it is free, and stores item and lap in one access. A
// consumer polls the word until it has the lap, and stores it back as free for the next.
//
// Use: ring_queue.cuh. slot_queue<Type>(capacity).ref() for kernels; Type has at most 16 bytes.
// Participants: producers and consumers, any number of each, of all blocks. Whole warps.
// Scope: device.
// Ordering: items are values. All accesses are relaxed and those of a slot are to the same words in
//   every lap, so their coherence orders them: a consumer's load comes before its own store, which
//   comes before the producer's load of it, which comes before that one's store. What a producer
//   wrote elsewhere is *not* made visible. With `Order` queue_order::release_acquire
//   (ordered_slot_queue) it is, for items that are addresses: one release fence per put(), one
//   acquire fence per take().
// Progress, closing, residency, fairness: ring_queue.cuh.
// Limits: a capacity of at least 2, a power of two. Room for all items in flight is needed for
//   speed (producers' threads times their items), and four times that for the last tenth.
// Traffic: per item a load and a store by the producer, a load and a store by the consumer, and
//   more loads where they wait. With 16 bytes a load and a store more.
// Reset: reset(), or zero the memory.
#pragma once

#include "finesync/queues/item_words.cuh"
#include "finesync/queues/ring_queue.cuh"
#include "finesync/queues/word_queue.cuh"
#include "finesync/queues/word_ring.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Whether a consumer sees what the producer wrote before it put the item.
enum class queue_order { relaxed, release_acquire };

/// `Words` is a parameter for the broken variants of the tests.
template <class Type, queue_order Order, class Words = item_words<Type>>
class slot_ring : public word_ring<Type, std::uint32_t, Words> {
  // Tickets of 32 bits: additions of 64 take twice as long.
  using base = word_ring<Type, std::uint32_t, Words>;
  using base::laps_;
  using base::words_;

 public:
  using typename base::item_look;
  using typename base::ticket;
  using space_look = typename Words::first_look;
  static constexpr bool orders_memory = Order == queue_order::release_acquire;
  static constexpr std::size_t least_capacity = 2;

  using base::base;

  __host__ __device__ std::size_t shared_bytes() const { return 0; }
  __device__ slot_ring join(unsigned char*) const { return *this; }

  __device__ space_look look_at_space(ticket at) const {
    return words_.load_first(laps_.index(at));
  }
  __device__ bool is_free(const space_look& seen, ticket at) const {
    return Words::is_marked(seen, laps_.free(at));
  }

  __device__ bool take(const item_look& seen, ticket at, Type& item) const {
    if (!base::is_item(seen, at, item)) return false;
    words_.mark(laps_.index(at), laps_.free_next(at));
    Words::keep_read(seen);
    return true;
  }
  template <class Place>
  __device__ void passed(const Place&, unsigned) const {}
};

/// Owns the ring, and the ends of its queue.
template <class Type, queue_order Order = queue_order::relaxed, class Words = item_words<Type>>
class basic_slot_queue : public word_queue<slot_ring<Type, Order, Words>, Words> {
  using base = word_queue<slot_ring<Type, Order, Words>, Words>;

 public:
  using base::base;
  typename base::ref_type ref() const { return base::ref_with(); }
};

template <class Type>
using slot_queue = basic_slot_queue<Type>;

/// Its consumers see what the producer wrote before it put the item.
template <class Type>
using ordered_slot_queue = basic_slot_queue<Type, queue_order::release_acquire>;

}  // namespace finesync::inline FINESYNC_ABI
