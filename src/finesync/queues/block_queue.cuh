// SPDX-License-Identifier: Apache-2.0
// A queue between the warps of a block, in its shared memory.
//
// The ring of vyukov_queue.cuh: a sequence word per slot says whether it is free or full. Within a
// block its acquires and releases cost nothing.
//
// Use: auto& memory = shared_storage<block_queue_memory<Type, Capacity>>(); memory.open();
//      memory.queue() by each thread; then as in ring_queue.cuh.
// Participants: producers and consumers, any warps of one block. Whole warps.
// Scope: block.
// Ordering: a consumer sees all that the producer did before it put the item.
// Progress, closing, fairness: ring_queue.cuh.
// Limits: a capacity of at least 2, a power of two.
// Traffic: per item a load of the sequence, a store of it and an access to the item at each end;
//   one addition per warp and call, all in shared memory.
// Reset: open(), by all threads of the block.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/queues/sequence_ring.cuh"

#include <bit>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// A type for shared memory.
template <class Type, unsigned Capacity>
class block_queue_memory {
  static_assert(Capacity >= 2 && std::has_single_bit(Capacity));

 public:
  using ring_type = sequence_ring<Type, scope::block>;
  using queue_type = ring_queue<ring_type>;

  /// Empties the queue. All threads of the block, before any uses it.
  __device__ void open() {
    for (unsigned i = thread_rank(); i < Capacity; i += block_threads()) sequences_[i] = 0;
    if (is_first_of_block()) {
      tail_ = 0;
      head_ = 0;
      closing_.closed = 0;
      closing_.producers_done = 0;
    }
    __syncthreads();
  }
  __device__ queue_type queue() {
    using laps = lap_tags<typename ring_type::ticket>;
    return {{&tail_, &head_, &closing_},
            ring_type(laps::of_bits(std::countr_zero(Capacity)), sequences_, items_)};
  }

 private:
  cell<typename ring_type::ticket> tail_;
  cell<typename ring_type::ticket> head_;
  queue_closing closing_;
  cell<typename ring_type::ticket> sequences_[Capacity];
  cell<Type> items_[Capacity];
};

}  // namespace finesync::inline FINESYNC_ABI
