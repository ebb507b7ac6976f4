// Minimum spanning forests, and the check of a forest.
#pragma once

#include <inputs/graphs/graph.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace finesync::graph_reference {

struct spanning_forest {
  std::uint64_t weight = 0;
  std::uint32_t components = 0;     ///< number of trees, single vertices included
  std::vector<std::uint32_t> arcs;  ///< per edge the arc from its smaller vertex
};

/// The minimum spanning forest of an undirected graph, which may have loops and repeated edges, by
/// J. Kruskal's algorithm; of edges of the same weight the one of the smaller arc. Heavier edges
/// wait until lighter ones are done, and most are then within a tree (V. Osipov, P. Sanders, J.
/// Singler, "The Filter-Kruskal Minimum Spanning Tree Algorithm", 2009). All cores filter the edges
/// between trees, and sort them. Takes up to 24 bytes of memory per edge.
spanning_forest lightest_forest(const inputs::graph& of);

inline constexpr std::uint32_t no_arc = 0xffffffffu;

/// Checks forests of one graph. Stores the source of each arc: 4 bytes per arc.
class forest_check {
 public:
  /// \param of the graph; must outlive the check. \param components the number of its components.
  forest_check(const inputs::graph& of, std::uint32_t components);

  /// The reason why these arcs, one per edge, are no spanning forest of the graph: a missing arc, a
  /// cycle, or an edge between two trees. Nothing if they are a spanning forest, minimum or not.
  /// Arcs may be no_arc.
  std::optional<std::string> fault_of(std::span<const std::uint32_t> arcs) const;

  /// Total weight of the arcs of a forest.
  std::uint64_t weight_of(std::span<const std::uint32_t> arcs) const;

 private:
  const inputs::graph& of_;
  std::uint32_t components_;
  std::vector<std::uint32_t> sources_;
};

}  // namespace finesync::graph_reference
