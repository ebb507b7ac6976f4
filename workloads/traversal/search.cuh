// What the kernels of a search share: how entries are followed, divided and counted.
#pragma once

#include "frontier.cuh"
#include "threshold.cuh"

#include <finesync/device/ptx/prefetch.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/applications/watched_barrier.cuh>

#include <cstdint>

namespace finesync::traversal {

/// Lanes that follow the arcs of one entry together.
inline constexpr unsigned lanes_per_entry = 4;
/// After this many rounds, blocks count entries only once in this many rounds, and divide them
/// evenly.
inline constexpr unsigned rounds_per_count = 16;
/// A block that has more entries than this gives the others some while few entries are known.
inline constexpr unsigned few_entries = 4;

/// The distance of a vertex that no path has reached.
inline constexpr std::uint32_t unreached = 0xffffffffu;

/// What a kernel needs.
struct search_ref {
  graph_ref graph;
  frontier_ref frontier;
  cell<std::uint32_t>* distances;  ///< all unreached at the start
  std::uint32_t source;
  std::uint32_t mean_weight;    ///< of the arcs, for moving_threshold
  cell<std::uint32_t>* rounds;  ///< of the search, by two threads; zero at the start
};

/// Distances in arcs.
struct breadth_first {
  using threshold = no_threshold;
  /// The distance behind an arc.
  __device__ static std::uint32_t behind(std::uint32_t distance, const graph_ref& /*graph*/,
                                         std::uint32_t /*arc*/) {
    return distance + 1;
  }
};

/// Distances in weights. Paths that a search finds on its way may be longer than 32 bits hold; such
/// a one shortens nothing.
struct shortest_paths {
  using threshold = moving_threshold;
  __device__ static std::uint32_t behind(std::uint32_t distance, const graph_ref& graph,
                                         std::uint32_t arc) {
    const std::uint32_t sum = distance + graph.weights[arc];
    return sum < distance ? unreached : sum;
  }
};

/// What an arc leads to. The row is kept as it was loaded: to compute with it is to wait for it,
/// and shortens() should be on its way by then. nvcc subtracts where the source does; before
/// shortens(), overlapped breadth-first search of a mesh takes 14 % longer (an H100).
struct arc_end {
  std::uint32_t vertex;
  std::uint32_t distance;   ///< along the arc
  std::uint32_t first_arc;  ///< of the vertex
  std::uint32_t end_of_arcs;

  __device__ frontier_entry entry() const {
    return {vertex, distance, first_arc, end_of_arcs - first_arc};
  }
};
template <class Kind>
__device__ arc_end end_of_arc(const graph_ref& graph, const frontier_entry& entry,
                              std::uint32_t number) {
  const std::uint32_t arc = entry.first + number;
  arc_end found{};
  found.vertex = graph.targets[arc];
  found.distance = Kind::behind(entry.distance, graph, arc);
  found.first_arc = graph.rows[found.vertex];
  found.end_of_arcs = graph.rows[found.vertex + 1];
  return found;
}

/// Shortens the vertex's distance to that along the arc. \returns false if it is no longer already.
__device__ inline bool shortens(const search_ref& search, const arc_end& found) {
  return found.distance < atomic_ref<std::uint32_t, scope::device>(search.distances[found.vertex])
                              .fetch_min(found.distance, memory_order::relaxed);
}

/// The distance of the entry's vertex now. As with rows, who compares it at once waits for it, and
/// loads the arcs later: another 12 %.
template <bool Corrects>
__device__ std::uint32_t distance_now(const search_ref& search, const frontier_entry& entry) {
  if constexpr (!Corrects) return entry.distance;
  return atomic_ref<std::uint32_t, scope::device>(search.distances[entry.vertex])
      .load(memory_order::relaxed);
}

/// Whether no shorter path to the entry's vertex was known at distance_now(); else there is nothing
/// to follow.
template <bool Corrects>
__device__ bool is_up_to_date(const frontier_entry& entry, std::uint32_t now) {
  return !Corrects || now == entry.distance;
}

/// By all lanes of a warp: the number of arcs to look at. The lanes of a group have the same entry,
/// if any. Entries from `limit` on are held back.
template <class Kind, class Writer>
__device__ std::uint32_t arcs_to_follow(bool has, const frontier_entry& entry, std::uint32_t now,
                                        std::uint32_t limit, Writer& next) {
  const bool held = has && Kind::threshold::holds_back && entry.distance >= limit;
  if (Kind::threshold::holds_back && lane_group::whole_warp().any(held))
    next.hold_back(held && is_up_to_date<true>(entry, now) && lane_id() % lanes_per_entry == 0,
                   entry);
  return has && !held ? entry.arcs : 0;
}

/// By all lanes of a warp: appends the vertex if a shorter path to it was found. Where entries may
/// be out of date, that is in overlapped searches and in those by weights, its arcs are fetched at
/// once: on an H100 that gains 0.5 to 2.5 % of the time on a mesh. On a road network overlapped
/// breadth-first search loses 3 % by it, and blocking search 2 %.
template <bool Corrects, class Writer>
__device__ void append(const graph_ref& graph, bool shorter, const arc_end& found, Writer& next) {
  const frontier_entry entry = found.entry();
  const bool has = shorter && entry.arcs != 0;
  if (Corrects && has) {
    prefetch(graph.targets + entry.first);
    if (graph.weights != nullptr) prefetch(graph.weights + entry.first);
  }
  next.push(has, entry);
}

/// By all lanes of a warp: follows the arcs `first` to `end` - 1 of each group's entry. Whoever
/// shortens a distance appends the vertex.
template <class Kind, bool Corrects, class Writer>
__device__ void follow_arcs(const search_ref& search, const frontier_entry& entry,
                            std::uint32_t now, std::uint32_t first, std::uint32_t end,
                            Writer& next) {
  const lane_group warp = lane_group::whole_warp();
  for (std::uint32_t i = first + lane_id() % lanes_per_entry; warp.any(i < end);
       i += lanes_per_entry) {
    bool shorter = false;
    arc_end found{};
    if (i < end) {
      found = end_of_arc<Kind>(search.graph, entry, i);
      if (is_up_to_date<Corrects>(entry, now)) shorter = shortens(search, found);
    }
    append<Corrects>(search.graph, shorter, found, next);
  }
}

/// Which of a block's warps follow arcs.
struct working_warps {
  unsigned first;  ///< all from this one on

  __device__ unsigned index() const { return threadIdx.x / 32 - first; }
  __device__ unsigned number() const { return blockDim.x / 32 - first; }
};

/// Entries that a warp follows together.
inline constexpr unsigned entries_per_warp = 32 / lanes_per_entry;

/// Follows the entries `first` to `last` - 1 of a list, by all working warps of the block.
template <class Kind, bool Corrects, class Writer>
__device__ void follow_all(const search_ref& search, const working_warps& warps,
                           std::uint32_t first, std::uint32_t last,
                           const cell<frontier_entry>* entries, std::uint32_t limit, Writer& next) {
  for (std::uint32_t begin = first + warps.index() * entries_per_warp; begin < last;
       begin += warps.number() * entries_per_warp) {
    const std::uint32_t mine = begin + lane_id() / lanes_per_entry;
    const bool has = mine < last;
    const frontier_entry entry =
        has ? static_cast<frontier_entry>(entries[mine]) : frontier_entry{};
    const std::uint32_t now = has ? distance_now<Corrects>(search, entry) : 0;
    const std::uint32_t arcs = arcs_to_follow<Kind>(has, entry, now, limit, next);
    follow_arcs<Kind, Corrects>(search, entry, now, 0, arcs, next);
  }
}

/// Follows the block's own entries of a round, from number `first` on. \param kept the limit under
/// which they were made.
template <class Kind, bool Corrects>
__device__ void follow_own(const search_ref& search, const working_warps& warps, block_queue& own,
                           unsigned round, std::uint32_t first, unsigned kept, std::uint32_t limit,
                           frontier_writer& next) {
  const std::uint32_t length = own.length(round);
  follow_all<Kind, Corrects>(search, warps, first, length < kept ? length : kept,
                             own.entries(round), limit, next);
}

/// The number of entries in the pool's part for a round. Look at it before the block's own entries
/// are followed, and use it behind, so that the wait for it is hidden.
__device__ inline std::uint32_t entries_in_pool(const frontier_ref& all, unsigned pool_round) {
  return atomic_ref<std::uint32_t, scope::device>(all.pool_length(pool_round))
      .load(memory_order::relaxed);
}

/// By all working warps of the grid: appends the vertices that are marked, with their distances of
/// now, and takes the marks away.
template <class Writer>
__device__ void append_marked(const search_ref& search, const working_warps& warps, Writer& next) {
  const graph_ref& graph = search.graph;
  for (std::uint32_t begin = 32 * (warps.index() * gridDim.x + blockIdx.x); begin < graph.vertices;
       begin += 32 * warps.number() * gridDim.x) {
    frontier_entry entry{begin + lane_id(), 0, 0, 0};
    const bool has = entry.vertex < graph.vertices && search.frontier.takes_mark(entry.vertex);
    if (has) {
      entry.distance = distance_now<true>(search, entry);
      entry.first = graph.rows[entry.vertex];
      entry.arcs = graph.rows[entry.vertex + 1] - entry.first;
    }
    next.push(has, entry);
  }
}

/// Follows the block's share of the entries in a part of the pool. In breadth-first search by
/// levels each vertex is found once, and there is room for all.
template <class Kind, bool Corrects, class Writer>
__device__ void follow_share(const search_ref& search, const working_warps& warps,
                             std::uint32_t pooled, unsigned pool_round, std::uint32_t limit,
                             Writer& next) {
  if (pooled == 0) return;
  const std::uint32_t capacity = search.frontier.pool_capacity;
  if (Corrects && pooled > capacity) append_marked(search, warps, next);
  const std::uint64_t entries = pooled < capacity ? pooled : capacity;
  follow_all<Kind, Corrects>(search, warps,
                             static_cast<std::uint32_t>(entries * blockIdx.x / gridDim.x),
                             static_cast<std::uint32_t>(entries * (blockIdx.x + 1) / gridDim.x),
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

/// By all threads of the block, at the end of a round with a count: adapts to it what the block
/// keeps and holds back. \returns false at the end of the search, which has `round` + 1 rounds.
template <class Threshold>
__device__ bool adapt_to_count(const search_ref& search, block_queue& own, unsigned round,
                               unsigned count, block_share& share, Threshold& threshold) {
  const counted_entries found = read_count(search.frontier, count, own);
  if (found.all == 0) {
    if (blockIdx.x == 0 && threadIdx.x < 2) search.rounds[threadIdx.x] = round + 1;
    return false;
  }
  share.advance(found.all);
  threshold.adapt(found.all, found.held_back);
  return true;
}

/// By thread 0 of a block, in each round: resets what the round after the next will fill.
__device__ inline void reset_for(unsigned round, block_queue& own, const frontier_ref& all,
                                 unsigned pool_round) {
  own.length(round) = 0;
  own.held(round) = 0;
  using counter = atomic_ref<std::uint32_t, scope::device>;
  if (blockIdx.x == 0) counter(all.pool_length(pool_round)).store(0, memory_order::relaxed);
}

}  // namespace finesync::traversal
