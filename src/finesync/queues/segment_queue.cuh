// SPDX-License-Identifier: Apache-2.0
// The queue for batches: nothing is written back to a slot. A counter for each 256 slots, the
// segment, says how many of their items have been taken.
//
// A producer looks at the counter of its slot's segment until all items of the lap before are
// taken. Its block keeps in shared memory the last lap that it has seen each segment free for, so
// one look serves many items. A consumer polls the slot's word until it has the lap; once the whole
// place is taken, a lane adds for the warp.
//
// Use: ring_queue.cuh, with join(shared) by all threads of a block and shared_bytes() of shared
//   memory. segment_queue<Type>(capacity).ref() for kernels; Type has at most 16 bytes.
// Participants: producers and consumers, any number of each, of all blocks. Whole warps.
// Scope: device.
// Ordering: items are values; nothing else is made visible. All accesses are relaxed. A slot goes
//   from a consumer to the next producer through its counter: the consumer adds only because its
//   load had the lap, and the producer stores only because it has read that sum. So no store of the
//   next lap can overtake the load of this one.
// Progress, closing, residency, fairness: ring_queue.cuh. A place hands its slots back once all
//   of its items are taken; not if the queue is closed before, as no producer needs these again.
// Limits: a capacity of at least 512, a power of two; fewer than 2^32 laps until the reset.
// Traffic: per item a store by the producer and a load by the consumer, and more loads where it
//   waits; per warp and place an addition, or two where it reaches into the next segment; per
//   block, segment and lap a load.
// Reset: reset(), or zero the memory.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/queues/item_words.cuh"
#include "finesync/queues/ring_queue.cuh"
#include "finesync/queues/word_queue.cuh"
#include "finesync/queues/word_ring.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Tickets have 64 bits: with fewer, what a block has once seen free would seem so again when they
/// begin at 0 again.
template <class Type, class Words = item_words<Type>>
class segment_ring : public word_ring<Type, std::uint64_t, Words> {
  using base = word_ring<Type, std::uint64_t, Words>;
  using base::laps_;

 public:
  struct alignas(line_bytes) counter {
    cell<std::uint32_t> taken;
  };
  struct space_look {
    std::uint32_t taken;
  };
  using typename base::item_look;
  using typename base::ticket;
  static constexpr bool orders_memory = false;
  static constexpr unsigned slots_per_segment = 256;  ///< at least the tickets of a warp's place
  /// With two segments a place never waits for itself: it does not reach into a segment whose lap
  /// before it still holds.
  static constexpr std::size_t least_capacity = 2 * slots_per_segment;

  segment_ring(const lap_tags<ticket>& laps, const Words& words, counter* counters)
      : base(laps, words), counters_(counters) {}

  __host__ __device__ std::size_t shared_bytes() const {
    return laps_.capacity() / slots_per_segment * sizeof(cell<std::uint32_t>);
  }
  __device__ segment_ring join(unsigned char* shared) const {
    segment_ring joined = *this;
    joined.seen_free_ = reinterpret_cast<cell<std::uint32_t>*>(shared);
    const std::size_t segments = laps_.capacity() / slots_per_segment;
    for (std::size_t i = thread_rank(); i < segments; i += block_threads())
      joined.seen_free_[i] = 0;
    __syncthreads();
    return joined;
  }

  __device__ space_look look_at_space(ticket at) const {
    const std::size_t segment = segment_of(at);
    if (block_word(seen_free_[segment]).load(memory_order::relaxed) == lap(at))
      return {taken_before(at)};
    return {word(counters_[segment].taken).load(memory_order::relaxed)};
  }
  __device__ bool is_free(const space_look& seen, ticket at) const {
    if (static_cast<std::int32_t>(seen.taken - taken_before(at)) < 0) return false;
    block_word(seen_free_[segment_of(at)]).store(lap(at), memory_order::relaxed);
    return true;
  }

  __device__ bool take(const item_look& seen, ticket at, Type& item) const {
    if (!base::is_item(seen, at, item)) return false;
    Words::keep_read(seen);
    return true;
  }

  /// Hands back the slots of a place that is taken, by one lane. The warp's tickets are neighbours,
  /// so they lie in one segment, or in two.
  template <class Place>
  __device__ void passed(const Place& place, unsigned items) const {
    if (static_cast<int>(lane_id()) != __ffs(static_cast<int>(place.takers)) - 1) return;
    const unsigned all = static_cast<unsigned>(__popc(place.takers)) * items;
    const unsigned until_next =
        slots_per_segment - static_cast<unsigned>(place.first % slots_per_segment);
    const unsigned here = all < until_next ? all : until_next;
    add(place.first, here);
    if (here != all) add(place.first + here, all - here);
  }

 private:
  using word = atomic_ref<std::uint32_t, scope::device>;
  using block_word = atomic_ref<std::uint32_t, scope::block>;

  __device__ std::size_t segment_of(ticket at) const { return laps_.index(at) / slots_per_segment; }
  __device__ std::uint32_t lap(ticket at) const {
    return static_cast<std::uint32_t>(laps_.lap(at));
  }
  // The counter once all items of the laps before this ticket's are taken. While the ticket's own
  // item is not, it stays below that of the next lap.
  __device__ std::uint32_t taken_before(ticket at) const { return lap(at) * slots_per_segment; }
  __device__ void add(ticket at, unsigned count) const {
    word(counters_[segment_of(at)].taken).fetch_add(count, memory_order::relaxed);
  }

  counter* counters_;
  /// Of the block: the last lap that it has seen the segment free for.
  cell<std::uint32_t>* seen_free_ = nullptr;
};

/// Owns the ring, its counters, and the ends of its queue.
template <class Type, class Words = item_words<Type>>
class basic_segment_queue : public word_queue<segment_ring<Type, Words>, Words> {
  using base = word_queue<segment_ring<Type, Words>, Words>;

 public:
  using typename base::ring_type;

  explicit basic_segment_queue(std::size_t capacity, const placement& on = {})
      : base(capacity, on),
        counters_(capacity / ring_type::slots_per_segment, on,
                  {.object = "segment", .object_bytes = sizeof(typename ring_type::counter)}) {}

  void reset() {
    base::reset();
    counters_.reset();
  }
  typename base::ref_type ref() const { return base::ref_with(counters_.device_data()); }

 private:
  zeroed_states<typename ring_type::counter> counters_;
};

template <class Type>
using segment_queue = basic_segment_queue<Type>;

}  // namespace finesync::inline FINESYNC_ABI
