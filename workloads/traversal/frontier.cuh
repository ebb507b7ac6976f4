// The frontier of a search: per block a queue in shared memory, and a pool for all blocks.
//
// Entries of a round are made in the round before it. A block keeps what it found itself, which
// costs no traffic between blocks; what its queue does not hold, and what exceeds its share, goes
// to the pool, which all blocks divide evenly in the next round.
#pragma once

#include "graph_ref.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/warp.cuh>

#include <algorithm>
#include <cstdint>

namespace finesync::traversal {

/// Entries that a block's queue holds for one round.
__host__ __device__ inline unsigned queue_capacity(unsigned threads_per_block) {
  return 2 * threads_per_block;
}
/// The most arcs of one entry: long rows are cut, so that several warps follow them.
inline constexpr std::uint32_t most_arcs = 256;
/// Words of counters that lie in lines of their own.
inline constexpr unsigned line_words = 32;

/// A block's shared memory: this, and the entries of two rounds behind it.
struct alignas(16) block_queue {
  cell<std::uint32_t> length[2];    ///< by parity of the round; may exceed the capacity
  cell<std::uint32_t> pool_length;  ///< of this round, for all threads
  cell<std::uint32_t> found;        ///< entries of all blocks, at a count

  __device__ cell<frontier_entry>* entries(unsigned round) {
    return reinterpret_cast<cell<frontier_entry>*>(this + 1) +
           round % 2 * queue_capacity(blockDim.x);
  }
  static std::size_t bytes(unsigned threads_per_block) {
    return sizeof(block_queue) + 2 * queue_capacity(threads_per_block) * sizeof(frontier_entry);
  }
};

/// Device memory of a search beside the graph.
struct frontier_ref {
  cell<frontier_entry>* pool;  ///< 2 x pool_capacity
  std::uint32_t pool_capacity;
  cell<std::uint32_t>* counters;  ///< zero at the start; see below
  cell<std::uint32_t>* lost;      ///< entries for which the pool had no room

  /// Entries in the pool for a round. Three in turn: one is filled, one is read, one is reset.
  __device__ cell<std::uint32_t>& pool_length(unsigned round) const {
    return counters[round % 3 * line_words];
  }
  /// Entries of all blocks for the next round, at every count; three in turn likewise.
  __device__ cell<std::uint32_t>& found(unsigned count) const {
    return counters[(3 + count % 3) * line_words];
  }
  static constexpr unsigned counter_words = 6 * line_words;
};

/// Appends entries for the round `round`; one per thread.
class frontier_writer {
 public:
  /// \param own_limit entries that the block keeps.
  __device__ frontier_writer(block_queue& own, const frontier_ref& all, unsigned round,
                             unsigned own_limit)
      : own_(own), all_(all), round_(round), own_limit_(own_limit) {}

  /// All lanes of a warp call it together. \param has whether this lane has an entry.
  __device__ void push(bool has, const frontier_entry& entry) {
    const lane_group warp = lane_group::whole_warp();
    if (warp.any(has && entry.arcs > most_arcs)) return push_parts(has, entry);
    push_one(has, entry);
  }

 private:
  __device__ void push_one(bool has, const frontier_entry& entry) {
    const lane_group warp = lane_group::whole_warp();
    const unsigned lanes = warp.ballot(has);
    if (lanes == 0) return;
    std::uint32_t place = 0;
    if (lane_id() == 0)
      place = atomic_ref<std::uint32_t, scope::block>(own_.length[round_ % 2])
                  .fetch_add(static_cast<std::uint32_t>(__popc(lanes)), memory_order::relaxed);
    place = warp.get(place, 0) + lanes_below(lanes);
    const bool fits = place < own_limit_;
    if (has && fits) own_.entries(round_)[place] = entry;
    push_to_pool(has && !fits, entry);
  }

  __device__ void push_to_pool(bool has, const frontier_entry& entry) {
    const lane_group warp = lane_group::whole_warp();
    const unsigned lanes = warp.ballot(has);
    if (lanes == 0) return;
    using counter = atomic_ref<std::uint32_t, scope::device>;
    std::uint32_t place = 0;
    if (lane_id() == 0)
      place = counter(all_.pool_length(round_))
                  .fetch_add(static_cast<std::uint32_t>(__popc(lanes)), memory_order::relaxed);
    place = warp.get(place, 0) + lanes_below(lanes);
    if (!has) return;
    if (place < all_.pool_capacity)
      all_.pool[std::size_t{round_ % 2} * all_.pool_capacity + place] = entry;
    else
      counter(*all_.lost).fetch_add(1, memory_order::relaxed);
  }

  __device__ void push_parts(bool has, frontier_entry entry) {
    const lane_group warp = lane_group::whole_warp();
    std::uint32_t left = has ? entry.arcs : 0;
    bool more = has;
    while (warp.any(more)) {
      entry.arcs = left < most_arcs ? left : most_arcs;
      push_one(more, entry);
      entry.first += entry.arcs;
      left -= entry.arcs;
      more = left != 0;
    }
  }

  block_queue& own_;
  const frontier_ref& all_;
  unsigned round_;
  unsigned own_limit_;
};

}  // namespace finesync::traversal
