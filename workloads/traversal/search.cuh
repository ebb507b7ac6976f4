// One persistent kernel per search: rounds over the frontier, a grid barrier after each.
#pragma once

#include "frontier.cuh"

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
  cell<std::uint32_t>* rounds;  ///< of the search, written at its end
};

/// Follows the arcs of the caller's entry, if it has one: the lanes of a group have the same entry.
/// All lanes of the warp call it together. Whoever shortens a distance appends the vertex.
__device__ inline void follow(const search_ref& search, bool has, const frontier_entry& entry,
                              frontier_writer& next) {
  const lane_group warp = lane_group::whole_warp();
  const std::uint32_t arcs = has ? entry.arcs : 0;
  for (std::uint32_t i = lane_id() % lanes_per_entry; warp.any(i < arcs); i += lanes_per_entry) {
    bool shorter = false;
    frontier_entry found{};
    if (i < arcs) {
      const graph_ref& graph = search.graph;
      const std::uint32_t arc = entry.first + i;
      const std::uint32_t target = graph.targets[arc];
      found.vertex = target;
      found.distance = entry.distance + (graph.weights == nullptr ? 1 : graph.weights[arc]);
      found.first = graph.rows[target];
      found.arcs = graph.rows[target + 1] - found.first;
      shorter = found.distance < atomic_ref<std::uint32_t, scope::device>(search.distances[target])
                                     .fetch_min(found.distance, memory_order::relaxed);
    }
    next.push(shorter && found.arcs != 0, found);
  }
}

/// Follows the entries `first` to `last` - 1 of a list, by all warps of the block.
template <class EntryAt>
__device__ void follow_all(const search_ref& search, std::uint32_t first, std::uint32_t last,
                           EntryAt entry_at, frontier_writer& next) {
  const std::uint32_t per_warp = 32 / lanes_per_entry;
  const std::uint32_t step = blockDim.x / lanes_per_entry;
  for (std::uint32_t begin = first + threadIdx.x / 32 * per_warp; begin < last; begin += step) {
    const std::uint32_t mine = begin + lane_id() / lanes_per_entry;
    const bool has = mine < last;
    follow(search, has, has ? entry_at(mine) : frontier_entry{}, next);
  }
}

/// Breadth-first search, level by level: a round's entries are all at its distance.
template <class Barrier>
__global__ void __launch_bounds__(1024, 1)
    search_levels(Barrier barrier, search_ref search, watchdog_ref watchdog) {
  using counter = atomic_ref<std::uint32_t, scope::device>;
  auto& own = shared_storage<block_queue>();
  const frontier_ref& all = search.frontier;
  auto participant = barrier.join(watchdog);
  if (threadIdx.x == 0) {
    own.length[0] = 0;
    own.length[1] = 0;
    if (blockIdx.x == 0) {
      const std::uint32_t first = search.graph.rows[search.source];
      own.entries(0)[0] =
          frontier_entry{search.source, 0, first, search.graph.rows[search.source + 1] - first};
      own.length[0] = 1;
      counter(search.distances[search.source]).store(0, memory_order::relaxed);
    }
  }
  if (!participant.wait()) return;  // the source's distance is known before others look at it
  const unsigned most = queue_capacity(blockDim.x);
  std::uint32_t own_limit = few_entries;
  std::uint32_t held = own_limit;  // the limit under which this round's entries were made
  unsigned count = 0;
  for (unsigned round = 0;; ++round) {
    const unsigned now = round % 2;
    if (threadIdx.x == 0) {
      own.length[1 - now] = 0;
      own.pool_length = counter(all.pool_length(round)).load(memory_order::relaxed);
      if (blockIdx.x == 0) counter(all.pool_length(round + 2)).store(0, memory_order::relaxed);
    }
    const std::uint32_t length = own.length[now];
    const cell<frontier_entry>* entries = own.entries(now);
    __syncthreads();
    frontier_writer next(own, all, round + 1, own_limit);
    follow_all(
        search, 0, length < held ? length : held,
        [&](std::uint32_t i) -> frontier_entry { return entries[i]; }, next);
    const std::uint64_t pooled = own.pool_length;
    if (pooled != 0) {
      const cell<frontier_entry>* pool = all.pool + std::size_t{now} * all.pool_capacity;
      follow_all(
          search, static_cast<std::uint32_t>(pooled * blockIdx.x / gridDim.x),
          static_cast<std::uint32_t>(pooled * (blockIdx.x + 1) / gridDim.x),
          [&](std::uint32_t i) -> frontier_entry { return pool[i]; }, next);
    }
    const bool counts = round < rounds_per_count || round % rounds_per_count == 0;
    if (counts) {
      __syncthreads();
      if (threadIdx.x == 0) {
        const std::uint32_t found = own.length[1 - now];
        if (found != 0) counter(all.found(count)).fetch_add(found, memory_order::relaxed);
        if (blockIdx.x == 0) counter(all.found(count + 1)).store(0, memory_order::relaxed);
      }
    }
    if (!participant.wait()) return;
    held = own_limit;
    own_limit = most;
    if (counts) {
      if (threadIdx.x == 0) own.found = counter(all.found(count)).load(memory_order::relaxed);
      __syncthreads();
      const std::uint32_t found = own.found;
      if (found == 0) {
        if (blockIdx.x == 0 && threadIdx.x == 0) *search.rounds = round + 1;
        break;
      }
      const std::uint32_t share = found / gridDim.x + 1;
      own_limit = share < few_entries ? few_entries : share < most ? share : most;
      ++count;
    }
  }
  applications::leave(participant);
}

}  // namespace finesync::traversal
