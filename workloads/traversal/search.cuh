// One persistent kernel per search: rounds over the frontier, a grid barrier after each.
#pragma once

#include "frontier.cuh"
#include "threshold.cuh"

#include <finesync/barriers/overlap.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/applications/watched_barrier.cuh>

#include <cstdint>

namespace finesync::traversal {

/// Lanes that follow the arcs of one entry together.
inline constexpr unsigned lanes_per_entry = 4;
/// After so many rounds, blocks count entries only every so many rounds, and divide them evenly.
inline constexpr unsigned rounds_per_count = 16;
/// A block that has more entries than this gives the others some while few entries are known.
inline constexpr unsigned few_entries = 4;

/// What a kernel needs.
struct search_ref {
  graph_ref graph;
  frontier_ref frontier;
  cell<std::uint32_t>* distances;  ///< all unreached at the start
  std::uint32_t source;
  std::uint32_t mean_weight;    ///< of the arcs, for moving_threshold
  cell<std::uint32_t>* rounds;  ///< of the search, written at its end
};

/// Distances in arcs.
struct breadth_first {
  using threshold = no_threshold;
  __device__ static std::uint32_t length(const graph_ref&, std::uint32_t /*arc*/) { return 1; }
};

/// Distances in weights.
struct shortest_paths {
  using threshold = moving_threshold;
  __device__ static std::uint32_t length(const graph_ref& graph, std::uint32_t arc) {
    return graph.weights[arc];
  }
};

/// Follows the arcs of the caller's entry, if it has one: the lanes of a group have the same entry.
/// All lanes of the warp call it together. Whoever shortens a distance appends the vertex.
/// Entries from `limit` on are held back. \tparam Corrects whether the entry may be out of date,
/// because a shorter path was found since; then there is nothing to follow.
template <class Kind, bool Corrects>
__device__ void follow(const search_ref& search, bool has, const frontier_entry& entry,
                       std::uint32_t limit, frontier_writer& next) {
  using distance = atomic_ref<std::uint32_t, scope::device>;
  const lane_group warp = lane_group::whole_warp();
  const graph_ref& graph = search.graph;
  std::uint32_t arcs = has ? entry.arcs : 0;
  bool up_to_date = true;
  if (Corrects && has)
    up_to_date =
        distance(search.distances[entry.vertex]).load(memory_order::relaxed) == entry.distance;
  if constexpr (Kind::threshold::holds_back) {
    const bool held = has && entry.distance >= limit;
    if (warp.any(held))
      next.hold_back(held && up_to_date && lane_id() % lanes_per_entry == 0, entry);
    if (held) arcs = 0;
  }
  for (std::uint32_t i = lane_id() % lanes_per_entry; warp.any(i < arcs); i += lanes_per_entry) {
    bool shorter = false;
    frontier_entry found{};
    if (i < arcs) {
      const std::uint32_t arc = entry.first + i;
      const std::uint32_t target = graph.targets[arc];
      found.vertex = target;
      found.distance = entry.distance + Kind::length(graph, arc);
      found.first = graph.rows[target];
      found.arcs = graph.rows[target + 1] - found.first;
      if (up_to_date)
        shorter =
            found.distance <
            distance(search.distances[target]).fetch_min(found.distance, memory_order::relaxed);
    }
    next.push(shorter && found.arcs != 0, found);
  }
}

/// Which of a block's warps follow arcs.
struct working_warps {
  unsigned first;  ///< all from this one on

  __device__ unsigned index() const { return threadIdx.x / 32 - first; }
  __device__ unsigned number() const { return blockDim.x / 32 - first; }
};

/// Follows the entries `first` to `last` - 1 of a list, by all working warps of the block.
template <class Kind, bool Corrects>
__device__ void follow_all(const search_ref& search, const working_warps& warps,
                           std::uint32_t first, std::uint32_t last,
                           const cell<frontier_entry>* entries, std::uint32_t limit,
                           frontier_writer& next) {
  constexpr unsigned per_warp = 32 / lanes_per_entry;
  for (std::uint32_t begin = first + warps.index() * per_warp; begin < last;
       begin += warps.number() * per_warp) {
    const std::uint32_t mine = begin + lane_id() / lanes_per_entry;
    const bool has = mine < last;
    follow<Kind, Corrects>(search, has,
                           has ? static_cast<frontier_entry>(entries[mine]) : frontier_entry{},
                           limit, next);
  }
}

/// Follows the block's own entries of a round, and its share of a part of the pool.
/// \param kept the limit under which the own entries were made.
template <class Kind, bool Corrects>
__device__ void follow_round(const search_ref& search, const working_warps& warps, block_queue& own,
                             unsigned round, unsigned kept, unsigned pool_round,
                             std::uint32_t limit, frontier_writer& next) {
  // Looked at first and used last, so that the wait for it is hidden.
  const std::uint64_t pooled =
      atomic_ref<std::uint32_t, scope::device>(search.frontier.pool_length(pool_round))
          .load(memory_order::relaxed);
  const std::uint32_t length = own.length(round);
  follow_all<Kind, Corrects>(search, warps, 0, length < kept ? length : kept, own.entries(round),
                             limit, next);
  if (pooled == 0) return;
  follow_all<Kind, Corrects>(search, warps,
                             static_cast<std::uint32_t>(pooled * blockIdx.x / gridDim.x),
                             static_cast<std::uint32_t>(pooled * (blockIdx.x + 1) / gridDim.x),
                             search.frontier.pool_of(pool_round), limit, next);
}

/// How many entries a block keeps, and when the blocks count them.
class block_share {
 public:
  __device__ explicit block_share(unsigned threads_per_block)
      : most_(queue_capacity(threads_per_block)) {}

  /// The limit for the entries that are made now, and the one for those that are followed now.
  __device__ unsigned limit() const { return limit_; }
  __device__ unsigned previous_limit() const { return previous_; }

  /// To the next round, without a count.
  __device__ void advance() {
    previous_ = limit_;
    limit_ = most_;
  }
  /// To the next round, with a count of the entries of all blocks.
  __device__ void advance(std::uint32_t found) {
    previous_ = limit_;
    const std::uint32_t even = found / gridDim.x + 1;
    limit_ = even < few_entries ? few_entries : even < most_ ? even : most_;
  }

 private:
  unsigned most_;
  unsigned limit_ = few_entries;
  unsigned previous_ = few_entries;
};

/// By all threads of the block: empties its queue; block 0 has the source.
__device__ inline void put_source(const search_ref& search, block_queue& own) {
  if (threadIdx.x != 0) return;
  for (const unsigned round : {0u, 1u}) {
    own.length(round) = 0;
    own.held(round) = 0;
  }
  if (blockIdx.x != 0) return;
  const std::uint32_t first = search.graph.rows[search.source];
  own.entries(0)[0] =
      frontier_entry{search.source, 0, first, search.graph.rows[search.source + 1] - first};
  own.length(0) = 1;
  atomic_ref<std::uint32_t, scope::device>(search.distances[search.source])
      .store(0, memory_order::relaxed);
}

/// By thread 0 of a block: adds the block's entries for the next round to a count.
__device__ inline void add_to_count(const frontier_ref& all, unsigned count, std::uint32_t entries,
                                    std::uint32_t held_back) {
  using counter = atomic_ref<std::uint32_t, scope::device>;
  cell<std::uint32_t>* const now = all.found(count);
  if (entries != 0) counter(now[0]).fetch_add(entries, memory_order::relaxed);
  if (held_back != 0) counter(now[1]).fetch_add(held_back, memory_order::relaxed);
  if (blockIdx.x != 0) return;
  cell<std::uint32_t>* const later = all.found(count + 1);
  counter(later[0]).store(0, memory_order::relaxed);
  counter(later[1]).store(0, memory_order::relaxed);
}

/// By all threads of the block: the entries of all blocks at a count, and those held back.
struct counted_entries {
  std::uint32_t all;
  std::uint32_t held_back;
};
__device__ inline counted_entries read_count(const frontier_ref& all, unsigned count,
                                             block_queue& own) {
  if (threadIdx.x < 2)
    own.found[threadIdx.x] = atomic_ref<std::uint32_t, scope::device>(all.found(count)[threadIdx.x])
                                 .load(memory_order::relaxed);
  __syncthreads();
  return {own.found[0], own.found[1]};
}

/// By thread 0 of a block, in each round: resets what the round after the next will fill.
__device__ inline void reset_for(unsigned round, block_queue& own, const frontier_ref& all,
                                 unsigned pool_round) {
  own.length(round) = 0;
  own.held(round) = 0;
  if (blockIdx.x == 0)
    atomic_ref<std::uint32_t, scope::device>(all.pool_length(pool_round))
        .store(0, memory_order::relaxed);
}

/// A search with a barrier after each round. In breadth-first search all entries of a round are at
/// the same distance, so none is ever out of date.
template <class Kind, class Barrier>
__global__ void __launch_bounds__(1024, 1)
    search_rounds(Barrier barrier, search_ref search, watchdog_ref watchdog) {
  constexpr bool corrects = Kind::threshold::holds_back;
  constexpr working_warps warps{.first = 0};
  auto& own = shared_storage<block_queue>();
  const frontier_ref& all = search.frontier;
  auto participant = barrier.join(watchdog);
  put_source(search, own);
  if (!participant.wait()) return;  // the source's distance is known before others look at it
  block_share share(blockDim.x);
  typename Kind::threshold threshold(search.mean_weight);
  unsigned count = 0;
  for (unsigned round = 0;; ++round) {
    applications::note_level(participant, round,
                             [&]() -> std::uint32_t { return own.length(round); });
    if (threadIdx.x == 0) reset_for(round + 2, own, all, round + 2);
    frontier_writer next(own, all, round + 1, share.limit());
    follow_round<Kind, corrects>(search, warps, own, round, share.previous_limit(), round,
                                 threshold.limit(), next);
    const bool counts = round < rounds_per_count || round % rounds_per_count == 0;
    if (counts) {
      __syncthreads();
      if (threadIdx.x == 0) add_to_count(all, count, own.length(round + 1), own.held(round + 1));
    }
    if (!participant.wait()) return;
    threshold.advance();
    if (!counts) {
      share.advance();
      continue;
    }
    const counted_entries found = read_count(all, count++, own);
    if (found.all == 0) {
      if (blockIdx.x == 0 && threadIdx.x == 0) *search.rounds = round + 1;
      break;
    }
    share.advance(found.all);
    threshold.adapt(found.all, found.held_back);
  }
  applications::leave(participant);
}

}  // namespace finesync::traversal
