// Breadth-first search whose rounds look in the direction that is less work, in one persistent
// kernel with a grid barrier after each.
//
// A round of level r finds the vertices at distance r + 1. Downwards, the arcs of level r are
// followed. Upwards, each vertex that is not reached yet looks for one arc from level r, and stops
// at the first. While levels are small, the former has little to do; when they are large, most
// vertices that are left find an arc at once.
//
// The rule: upwards if arcs(level r) > arcs(unreached) / 8. An arc followed downwards that finds
// something costs about five accesses to random places (two bitmaps, the next level's bit, the row,
// the distance), while one looked at upwards costs one, and half or more are never looked at.
// Both directions read all words of one bitmap, so the numbers of vertices do not matter, and one
// rule serves for both changes of the direction. All blocks decide alike, from the same count.
#pragma once

#include "follow_level.cuh"
#include "look_for_level.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/applications/watched_barrier.cuh>

#include <cstdint>

namespace finesync::bfs {

/// How many arcs of unreached vertices are as much work as one of the level.
inline constexpr std::uint32_t unreached_arcs_per_arc = 8;

/// What all blocks do between two barriers: a round, or the first half of one with long rows.
enum class phase : std::uint32_t { starts, looks_up, follows, lists, follows_long_rows, ends };

/// By all threads: empties the block's memory, and puts the source in level 0. What a bitmap's last
/// batch has beyond the vertices counts as visited.
template <class Levels>
__device__ void put_source(const both_directions_ref<Levels>& search, block_memory& own) {
  own.list().clear();
  if (threadIdx.x != 0) return;
  own.found = 0;
  own.unreached_arcs = search.graph.rows[search.graph.vertices];
  own.barriers = 0;
  if (blockIdx.x != 0) return;
  for (std::uint32_t end = search.graph.vertices; end % vertex_batch::vertices != 0; ++end)
    search.visited[end / 32] = search.visited[end / 32] | bit_of(end);
  search.levels.of(0)[search.source / 32] = bit_of(search.source);
  search.distances[search.source] = 0;
  const graph_row row = row_of(search.graph, search.source);
  found_vertices found;
  found.add(row.arcs);
  search.counts.found(0).store(found.sum(), memory_order::relaxed);
  if (row.arcs > most_arcs_of_warp) list_row(search, row, 0);
}

/// By all threads of the block: the phase behind `before`. Thread 0 keeps account.
template <class Levels>
__device__ phase next_phase(const both_directions_ref<Levels>& search, phase before,
                            std::uint32_t round, block_memory& own) {
  if (threadIdx.x == 0) {
    const std::uint64_t level = search.counts.found(round).load(memory_order::relaxed);
    const std::uint64_t listed = search.counts.long_rows(round).load(memory_order::relaxed);
    const auto arcs = static_cast<std::uint32_t>(level);
    std::uint32_t unreached = own.unreached_arcs;
    if (before != phase::lists) own.unreached_arcs = unreached -= arcs;
    phase now = phase::follows;
    if (arcs == 0 || round == search.graph.vertices)  // no search has more rounds
      now = phase::ends;
    else if (arcs > unreached / unreached_arcs_per_arc)
      now = phase::looks_up;
    else if (level >> 32 != 0)
      now = before == phase::lists || listed >> 32 == level >> 32 ? phase::follows_long_rows
                                                                  : phase::lists;
    own.now = static_cast<std::uint32_t>(now);
    own.long_rows = listed;
    if (blockIdx.x == 0) {
      search.counts.found(round + 2).store(0, memory_order::relaxed);
      search.counts.long_rows(round + 2).store(0, memory_order::relaxed);
    }
  }
  __syncthreads();
  return static_cast<phase>(static_cast<std::uint32_t>(own.now));
}

/// One barrier in the text, as its code is long: a phase's work, then the barrier, then the choice
/// of the next phase. Two blocks of 1,024 threads fit on an SM: rounds wait for memory most of the
/// time, so warps matter more than registers.
template <class Barrier, class Levels>
__global__ void __launch_bounds__(1024, 2)
    search_in_both_directions(Barrier barrier, both_directions_ref<Levels> search,
                              watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  auto& own = shared_storage<block_memory>();
  auto participant = barrier.join(watchdog);
  put_source(search, own);
  std::uint32_t round = 0;
  for (phase now = phase::starts;;) {
    if (threadIdx.x == 0) own.barriers = own.barriers + 1;
    if (!participant.wait()) return;
    now = next_phase(search, now, round, own);
    if (now == phase::ends) break;
    if (now == phase::lists) {
      list_long_rows(search, round, own.list());
      continue;
    }
    found_vertices found;
    if (now == phase::looks_up) {
      look_for_level(search, round, own.list(), found);
    } else {
      if (now == phase::follows_long_rows) follow_long_rows(search, round, own.long_rows, found);
      follow_level(search, round, own.list(), found);
    }
    ++round;
    found.add_to(search.counts.found(round), own);
  }
  if (blockIdx.x == 0 && threadIdx.x < 2) search.rounds[threadIdx.x] = round;
  if (blockIdx.x == 0 && threadIdx.x == 0) *search.barriers = own.barriers;
  applications::leave(participant);
}

}  // namespace finesync::bfs
