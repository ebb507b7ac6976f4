// The lightest forest that connects what can be connected.
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
  std::uint32_t components = 0;     ///< trees, of which some may be one vertex
  std::vector<std::uint32_t> arcs;  ///< of each edge the arc from its smaller vertex
};

/// That of an undirected graph, which may have loops and repeated edges, by J. Kruskal's algorithm;
/// of edges of the same weight the one of the smaller arc. Heavier edges wait until lighter ones
/// are done, and most are then within a tree (V. Osipov, P. Sanders, J. Singler, "The
/// Filter-Kruskal Minimum Spanning Tree Algorithm", 2009): all cores look for those that are not,
/// and sort them. Takes up to 24 bytes of memory per edge.
spanning_forest lightest_forest(const inputs::graph& of);

/// An arc of none.
inline constexpr std::uint32_t no_arc = 0xffffffffu;

/// Checks forests of one graph, of which it keeps where each arc begins: 4 bytes an arc.
class forest_check {
 public:
  /// \param of stays where it is. \param components that it has.
  forest_check(const inputs::graph& of, std::uint32_t components);

  /// Why these arcs, one of each edge, are no spanning forest of the graph: there is no such arc, a
  /// cycle, or an edge between two trees. Nothing where they are one, the lightest or not. Any of
  /// them may be no_arc.
  std::optional<std::string> fault_of(std::span<const std::uint32_t> arcs) const;

  /// Of arcs that are those of a forest, in all.
  std::uint64_t weight_of(std::span<const std::uint32_t> arcs) const;

 private:
  const inputs::graph& of_;
  std::uint32_t components_;
  std::vector<std::uint32_t> sources_;
};

}  // namespace finesync::graph_reference
