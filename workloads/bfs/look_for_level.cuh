// Upwards: an arc from a level to each vertex that is not reached yet.
#pragma once

#include "search_state.cuh"

#include <cstdint>

namespace finesync::bfs {

/// Arcs that a vertex looks at before it asks whether one was from the level.
inline constexpr unsigned looks_at_once = 2;

/// Whether an arc to the vertex of this row comes from the level.
__device__ inline bool has_arc_from(const cell<std::uint32_t>* level, const graph_row& row,
                                    const std::uint32_t* origins) {
  for (std::uint32_t begin = 0; begin < row.arcs; begin += looks_at_once) {
    std::uint32_t origin[looks_at_once];
    for (unsigned i = 0; i < looks_at_once; ++i)  // beyond the end, the last one again
      origin[i] = origins[row.first + (begin + i < row.arcs ? begin + i : row.arcs - 1)];
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < looks_at_once; ++i) bits |= level[origin[i] / 32] >> origin[i] % 32;
    if ((bits & 1) != 0) return true;
  }
  return false;
}

/// Upwards from each vertex that is not visited. One that no arc leads to is marked as visited, so
/// that no later round looks at it.
template <class Levels>
__device__ void look_for_level(const both_directions_ref<Levels>& search, std::uint32_t round,
                               vertex_list list, found_vertices& found) {
  using bits = vertex_list::memory;
  const cell<std::uint32_t>* const level = search.levels.of(round);
  for (vertex_batch batch{warp_of_grid()}; batch.number < search.batches;
       batch.number += warps_of_grid()) {
    const unsigned visited = batch.byte_of(search.visited) | batch.byte_of(level);
    const unsigned vertices = list.fill(visited ^ 0xff);
    for (unsigned i = lane_id(); i < vertices; i += 32) {
      const unsigned place = list.place(i);
      const std::uint32_t vertex = batch.first_vertex() + place;
      const graph_row row = row_of(search.incoming, vertex);
      if (has_arc_from(level, row, search.incoming.targets)) {
        list.set(&bits::found, place);
        search.distances[vertex] = round + 1;
        found.add(search.graph.rows == search.incoming.rows ? row.arcs
                                                            : row_of(search.graph, vertex).arcs);
      } else if (row.arcs == 0) {
        list.set(&bits::settled, place);
      }
    }
    lane_group::whole_warp().sync();
    if (lane_id() >= vertex_batch::words) continue;
    const std::uint32_t word = batch.first_word() + lane_id();
    search.levels.of(round + 1)[word] = list.take(&bits::found, lane_id());
    search.levels.emptied_in(round)[word] = 0;
    const std::uint32_t settled = level[word] | list.take(&bits::settled, lane_id());
    if (settled != 0) search.visited[word] = search.visited[word] | settled;
  }
}

}  // namespace finesync::bfs
