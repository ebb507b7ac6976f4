// Downwards: the arcs of a level's vertices.
#pragma once

#include "search_state.cuh"

#include <cstdint>

namespace finesync::bfs {

/// Downwards along one arc: whoever sets the target's bit has found it.
template <class Levels>
__device__ void follow(const both_directions_ref<Levels>& search, std::uint32_t arc,
                       std::uint32_t round, found_vertices& found) {
  using word = atomic_ref<std::uint32_t, scope::device>;
  const std::uint32_t target = search.graph.targets[arc];
  const std::uint32_t bit = bit_of(target);
  const std::uint32_t visited = word(search.visited[target / 32]).load(memory_order::relaxed);
  if (((visited | search.levels.of(round)[target / 32]) & bit) != 0) return;
  const word next(search.levels.of(round + 1)[target / 32]);
  if ((next.fetch_or(bit, memory_order::relaxed) & bit) != 0) return;
  search.distances[target] = round + 1;
  found.add(row_of(search.graph, target).arcs);
}

/// The arcs of a row per lane, dealt out evenly among the lanes. All lanes of the warp call it
/// together.
template <class Levels>
__device__ void follow_rows(const both_directions_ref<Levels>& search, const graph_row& row,
                            std::uint32_t round, found_vertices& found) {
  const lane_group warp = lane_group::whole_warp();
  const std::uint32_t end = sum_up_to_lane(row.arcs);
  const std::uint32_t all = warp.get(end, 31);
  const std::uint32_t offset = row.first - (end - row.arcs);
  for (std::uint32_t begin = 0; begin < all; begin += 32) {
    const std::uint32_t i = begin + lane_id();
    int owner = 0;  // the first lane whose row ends behind i
    for (int step = 16; step != 0; step /= 2)
      if (warp.get(end, owner + step - 1) <= i) owner += step;
    const std::uint32_t arc = i + warp.get(offset, owner);
    if (i < all) follow(search, arc, round, found);
  }
}

/// Downwards along the arcs of a level's vertices, without its long rows.
template <class Levels>
__device__ void follow_level(const both_directions_ref<Levels>& search, std::uint32_t round,
                             vertex_list list, found_vertices& found) {
  for (vertex_batch batch{warp_of_grid()}; batch.number < search.batches;
       batch.number += warps_of_grid()) {
    const unsigned vertices = list.fill(batch.byte_of(search.levels.of(round)));
    if (lane_id() < vertex_batch::words) {
      const std::uint32_t word = batch.first_word() + lane_id();
      search.levels.emptied_in(round)[word] = 0;
      if (const std::uint32_t level = search.levels.of(round)[word]; level != 0) {
        const atomic_ref<std::uint32_t, scope::device> visited(search.visited[word]);
        visited.store(visited.load(memory_order::relaxed) | level, memory_order::relaxed);
      }
    }
    for (unsigned begin = 0; begin < vertices; begin += 32) {
      const unsigned i = begin + lane_id();
      graph_row row{0, 0};
      if (i < vertices) row = row_of(search.graph, batch.first_vertex() + list.place(i));
      if (row.arcs > most_arcs_of_warp) row.arcs = 0;
      follow_rows(search, row, round, found);
    }
  }
}

/// Adds a row to the list of the level. Rows with later places have more arcs before them.
template <class Levels>
__device__ void list_row(const both_directions_ref<Levels>& search, const graph_row& row,
                         std::uint32_t round) {
  const std::uint64_t before = search.counts.long_rows(round).fetch_add(
      std::uint64_t{1} << 32 | row.arcs, memory_order::relaxed);
  if (before >> 32 < search.most_long_rows)  // always, unless the barrier is broken
    search.long_rows[before >> 32] = long_row{row.first, static_cast<std::uint32_t>(before)};
}

/// Lists the long rows of a level.
template <class Levels>
__device__ void list_long_rows(const both_directions_ref<Levels>& search, std::uint32_t round,
                               vertex_list list) {
  for (vertex_batch batch{warp_of_grid()}; batch.number < search.batches;
       batch.number += warps_of_grid()) {
    const unsigned vertices = list.fill(batch.byte_of(search.levels.of(round)));
    for (unsigned i = lane_id(); i < vertices; i += 32) {
      const graph_row row = row_of(search.graph, batch.first_vertex() + list.place(i));
      if (row.arcs > most_arcs_of_warp) list_row(search, row, round);
    }
  }
}

/// Downwards along the arcs of the listed rows, dealt out evenly among all threads of the grid.
/// \param listed as level_counts::long_rows
template <class Levels>
__device__ void follow_long_rows(const both_directions_ref<Levels>& search, std::uint32_t round,
                                 std::uint64_t listed, found_vertices& found) {
  const auto arcs = static_cast<std::uint32_t>(listed);
  const auto rows = static_cast<std::uint32_t>(listed >> 32);
  if (rows > search.most_long_rows) return;  // never, unless the barrier is broken
  for (std::uint64_t i = warp_of_grid() * 32 + lane_id(); i < arcs; i += warps_of_grid() * 32) {
    std::uint32_t at = 0;  // the last row with no more than i arcs before it
    for (std::uint32_t end = rows; end - at > 1;) {
      const std::uint32_t middle = at + (end - at) / 2;
      const long_row row = search.long_rows[middle];
      (row.before <= i ? at : end) = middle;
    }
    const long_row row = search.long_rows[at];
    follow(search, row.first + (static_cast<std::uint32_t>(i) - row.before), round, found);
  }
}

}  // namespace finesync::bfs
