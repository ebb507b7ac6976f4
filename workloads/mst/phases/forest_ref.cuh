// What a run works with.
#pragma once

#include <workloads/mst/edges/edge_list.cuh>
#include <workloads/mst/edges/rows.cuh>
#include <workloads/mst/graph_ref.cuh>
#include <workloads/mst/phases/relabel.cuh>

#include <cstdint>

namespace finesync::mst {

/// Edges up to a weight come first. What is heavier is looked at only where it still joins
/// components: seldom, as by then most vertices are in one, the giant.
enum phase : unsigned { light, heavy };

/// Rounds of a phase, at most: each halves the components but for the giant and those that are
/// finished.
inline constexpr unsigned most_levels = 32;

/// All zeros before a run.
struct run_counters {
  struct of_phase {
    cell<std::uint32_t> components[most_levels + 1];  ///< at the begin of each level
    cell<std::uint32_t> edges[most_levels + 1];
    cell<std::uint32_t> finished;
    cell<std::uint32_t> tiles_taken;  ///< of rows
  };
  of_phase phases[2];
  cell<std::uint32_t> chosen;  ///< arcs of the forest beyond those that vertices have chosen
  cell<std::uint32_t> long_rows;
  cell<std::uint32_t> chunks;
  cell<std::uint32_t> live_rows;
  cell<std::uint32_t> threshold;  ///< the heaviest of the light edges
  cell<std::uint32_t> giant;      ///< a component, by its number at the begin of the heavy phase
};

/// Of kernels over vertices or rows.
inline constexpr unsigned block_threads = 256;
/// Vertices of a thread, where it has several.
inline constexpr unsigned vertices_each = 4;

/// An arc of none.
inline constexpr std::uint32_t no_arc = 0xffffffffu;
/// A component of none.
inline constexpr std::uint32_t no_component = 0xffffffffu;

struct forest_ref {
  graph_ref graph;
  cell<std::uint32_t>* labels;  ///< of vertices
  /// Labels of vertices or of a level's components, before the ends of their chains are known.
  cell<std::uint32_t>* chains;
  /// The forest: of each vertex the arc that it has chosen, or no_arc; behind them the others.
  cell<std::uint32_t>* chosen;
  /// Labels of the components of a phase, those of each level behind those of the one before.
  cell<std::uint32_t>* component_labels;
  /// By component of the light phase's first level: its number in the heavy phase.
  cell<std::uint32_t>* number_in_heavy;
  cell<edge>* even_edges;  ///< of even levels
  cell<edge>* odd_edges;
  cell<chunk>* chunks;
  /// The vertex in whose row each tile of arcs begins; null where nobody asks, as all are light.
  cell<std::uint32_t>* row_of_tile;
  cell<std::uint64_t>* long_row_keys;
  cell<std::uint32_t>* long_row_vertices;
  cell<std::uint32_t>* live_rows;  ///< vertices with rows that the heavy phase looks at
  /// Components, so many that there is a record for each and, behind them, for each two.
  std::uint32_t most_paired;
  run_counters* counters;

  __device__ cell<edge>* edges_of(unsigned level) const {
    return level % 2 == 0 ? even_edges : odd_edges;
  }
};

/// The row of a vertex. \param component of it, if that matters.
__device__ __forceinline__ row row_of(const graph_ref& graph, std::uint32_t vertex,
                                      std::uint32_t component = 0) {
  return {vertex, component, graph.rows[vertex], graph.rows[vertex + 1]};
}

}  // namespace finesync::mst
