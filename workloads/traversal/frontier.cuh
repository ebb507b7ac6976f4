// The frontier of a search: per block a queue in shared memory, and a pool for all blocks.
//
// Entries of a round are made in the round before it. A block keeps what it found itself, which
// costs no traffic between blocks; what its queue does not hold, and what exceeds its share, goes
// to the pool, which all blocks divide evenly in the next round. A search by weights may find a
// vertex many times in a round, so the pool may be full: then a mark at the vertex takes the place
// of its entry, and those who divide the pool make entries of the marked vertices.
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
  /// Entries by round, three in turn: one is read, one is added to, one is reset. A length may
  /// exceed the capacity.
  cell<std::uint32_t> lengths[3];
  cell<std::uint32_t> held_back[3];  ///< of these, by moving_threshold
  cell<std::uint32_t> found[2];      ///< entries of all blocks at a count, and those held back

  __device__ cell<std::uint32_t>& length(unsigned round) { return lengths[round % 3]; }
  __device__ cell<std::uint32_t>& held(unsigned round) { return held_back[round % 3]; }
  __device__ cell<frontier_entry>* entries(unsigned round) {
    return reinterpret_cast<cell<frontier_entry>*>(this + 1) +
           round % 2 * queue_capacity(blockDim.x);
  }
  static std::size_t bytes(unsigned threads_per_block) {
    return sizeof(block_queue) + 2 * queue_capacity(threads_per_block) * sizeof(frontier_entry);
  }
};

/// Device memory of a search beside the graph. The pool and its lengths have a part for each of
/// five rounds in turn: in an overlapped search (overlapped_search.cuh) blocks may fill the parts
/// of two rounds and read those of two others, while the fifth is reset.
struct frontier_ref {
  cell<frontier_entry>* pool;  ///< pool_parts x pool_capacity
  std::uint32_t pool_capacity;
  cell<std::uint32_t>* counters;  ///< counter_words, zero at the start
  cell<std::uint32_t>* marks;     ///< one per vertex, zero at the start

  __device__ cell<frontier_entry>* pool_of(unsigned round) const {
    return pool + std::size_t{round % pool_parts} * pool_capacity;
  }
  /// Entries for a round. More than the capacity: the others are marks.
  __device__ cell<std::uint32_t>& pool_length(unsigned round) const {
    return counters[round % pool_parts * line_words];
  }
  /// Entries of all blocks for the next round at a count, and those held back. Three in turn: one
  /// is added to, one may still be read, one is reset.
  __device__ cell<std::uint32_t>* found(unsigned count) const {
    return counters + (pool_parts + count % counts_in_turn) * line_words;
  }
  /// A mark is taken in a later round, or in this one by who follows earlier marks. That one sees
  /// the distance of whoever has marked the vertex: all changes of a mark are atomic, so that each
  /// release before the acquire counts.
  __device__ void mark(std::uint32_t vertex) const {
    atomic_ref<std::uint32_t, scope::device>(marks[vertex]).fetch_or(1, memory_order::release);
  }
  __device__ bool takes_mark(std::uint32_t vertex) const {
    const atomic_ref<std::uint32_t, scope::device> mark(marks[vertex]);
    return mark.load(memory_order::relaxed) != 0 && mark.exchange(0, memory_order::acquire) != 0;
  }
  static constexpr unsigned pool_parts = 5;
  static constexpr unsigned counts_in_turn = 3;
  static constexpr unsigned counter_words = (pool_parts + counts_in_turn) * line_words;
};

/// Calls append(has, entry) for the lanes' entries, once or, for the parts of a long row, several
/// times. All lanes of a warp call it together.
template <class Append>
__device__ void append_in_parts(bool has, frontier_entry entry, Append append) {
  const lane_group warp = lane_group::whole_warp();
  if (!warp.any(has && entry.arcs > most_arcs)) return append(has, entry);
  std::uint32_t left = has ? entry.arcs : 0;
  bool more = has;
  while (warp.any(more)) {
    entry.arcs = left < most_arcs ? left : most_arcs;
    append(more, entry);
    entry.first += entry.arcs;
    left -= entry.arcs;
    more = left != 0;
  }
}

/// Appends to the pool's part for a round.
class pool_writer {
 public:
  __device__ pool_writer(const frontier_ref& all, unsigned round) : all_(all), round_(round) {}

  /// All lanes of a warp call it together. \param has whether this lane has an entry.
  __device__ void append(bool has, const frontier_entry& entry) {
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
      all_.pool_of(round_)[place] = entry;
    else
      all_.mark(entry.vertex);
  }

 private:
  const frontier_ref& all_;
  unsigned round_;
};

/// Appends entries for the round `round`; one per thread.
class frontier_writer {
 public:
  /// \param own_limit entries that the block keeps.
  __device__ frontier_writer(block_queue& own, const frontier_ref& all, unsigned round,
                             unsigned own_limit)
      : own_(own), pool_(all, round), round_(round), own_limit_(own_limit) {}

  /// Appends an entry again, unchanged, to be followed later. All lanes of a warp call it together.
  __device__ void hold_back(bool has, const frontier_entry& entry) {
    const unsigned lanes = lane_group::whole_warp().ballot(has);
    if (lanes == 0) return;
    if (lane_id() == 0)
      atomic_ref<std::uint32_t, scope::block>(own_.held(round_))
          .fetch_add(static_cast<std::uint32_t>(__popc(lanes)), memory_order::relaxed);
    push_one(has, entry);
  }

  /// All lanes of a warp call it together. \param has whether this lane has an entry.
  __device__ void push(bool has, const frontier_entry& entry) {
    append_in_parts(has, entry,
                    [&](bool some, const frontier_entry& part) { push_one(some, part); });
  }

 private:
  __device__ void push_one(bool has, const frontier_entry& entry) {
    const lane_group warp = lane_group::whole_warp();
    const unsigned lanes = warp.ballot(has);
    if (lanes == 0) return;
    std::uint32_t place = 0;
    if (lane_id() == 0)
      place = atomic_ref<std::uint32_t, scope::block>(own_.length(round_))
                  .fetch_add(static_cast<std::uint32_t>(__popc(lanes)), memory_order::relaxed);
    place = warp.get(place, 0) + lanes_below(lanes);
    const bool fits = place < own_limit_;
    if (has && fits) own_.entries(round_)[place] = entry;
    pool_.append(has && !fits, entry);
  }

  block_queue& own_;
  pool_writer pool_;
  unsigned round_;
  unsigned own_limit_;
};

}  // namespace finesync::traversal
