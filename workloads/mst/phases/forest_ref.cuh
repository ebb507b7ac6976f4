// The data of a run.
#pragma once

#include <workloads/mst/edges/edge_list.cuh>
#include <workloads/mst/edges/rows.cuh>
#include <workloads/mst/graph_ref.cuh>
#include <workloads/mst/phases/relabel.cuh>

#include <cstdint>

namespace finesync::mst {

/// Light edges, up to a threshold weight, come first. The heavy phase reads heavier edges only
/// where they may still join components: few, as most vertices are then in one component, the
/// giant.
enum phase : unsigned { light, heavy };

/// Upper bound of a phase's rounds: each halves the components, except the giant and finished ones.
inline constexpr unsigned max_levels = 32;

/// All zeros before a run.
struct run_counters {
  struct of_phase {
    cell<std::uint32_t> components[max_levels + 1];  ///< at the begin of each level
    cell<std::uint32_t> edges[max_levels + 1];
    cell<std::uint32_t> unsettled[max_levels];  ///< see unsettled_pass
    cell<std::uint32_t> finished;
    cell<std::uint32_t> tiles_taken;  ///< tiles of rows that warps have taken
  };
  of_phase phases[2];
  cell<std::uint32_t> unsettled_vertices;  ///< see unsettled_pass
  cell<std::uint32_t> chosen;  ///< arcs of the forest in addition to those that vertices chose
  cell<std::uint32_t> long_rows;
  cell<std::uint32_t> chunks;
  cell<std::uint32_t> live_rows;
  cell<std::uint32_t> threshold;  ///< weight of the heaviest light edge
  cell<std::uint32_t> giant;      ///< a component, by its number at the begin of the heavy phase
};

/// Threads per block of kernels over vertices or rows.
inline constexpr unsigned block_threads = 256;
/// Threads per block, and blocks per SM, of kernels whose blocks wait for each other.
inline constexpr unsigned round_threads = 512;
inline constexpr unsigned round_blocks_per_sm = 2;
/// Vertices per thread, in kernels with several.
inline constexpr unsigned vertices_each = 4;

inline constexpr std::uint32_t no_arc = 0xffffffffu;
inline constexpr std::uint32_t no_component = 0xffffffffu;

struct forest_ref {
  graph_ref graph;
  cell<std::uint32_t>* labels;  ///< label of each vertex
  /// Labels of vertices or of a level's components, before the ends of their chains are known.
  cell<std::uint32_t>* chains;
  /// The forest: the arc that each vertex chose, or no_arc; then the other arcs.
  cell<std::uint32_t>* chosen;
  /// Labels of the components of a phase, level after level.
  cell<std::uint32_t>* component_labels;
  /// Number in the heavy phase, by component of the light phase's first level.
  cell<std::uint32_t>* number_in_heavy;
  cell<edge>* even_edges;  ///< edges of even levels
  cell<edge>* odd_edges;
  cell<chunk>* chunks;
  /// The row's vertex at the begin of each tile of arcs; null if all edges are light.
  cell<std::uint32_t>* row_of_tile;
  cell<std::uint64_t>* long_row_keys;
  cell<std::uint32_t>* long_row_vertices;
  cell<std::uint32_t>* live_rows;  ///< vertices whose rows the heavy phase reads
  /// Largest number of components for which each component and each pair has a record.
  std::uint32_t max_paired;
  run_counters* counters;

  __device__ cell<edge>* edges_of(unsigned level) const {
    return level % 2 == 0 ? even_edges : odd_edges;
  }
};

/// The row of a vertex. \param component the vertex's component, if needed.
__device__ __forceinline__ row row_of(const graph_ref& graph, std::uint32_t vertex,
                                      std::uint32_t component = 0) {
  return {vertex, component, graph.rows[vertex], graph.rows[vertex + 1]};
}

}  // namespace finesync::mst
