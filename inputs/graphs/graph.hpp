// A graph in compressed sparse rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace finesync::inputs {

/// So many that the number of arcs, and of vertices plus one, is one of 32 bits: 16 GB of targets.
constexpr std::uint64_t most_arcs = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_vertices = most_arcs - 1;
/// Of two arcs the weights add up in 32 bits.
constexpr std::uint32_t most_weight = std::numeric_limits<std::int32_t>::max();

/// Vertices and arcs are numbered from 0. The arcs of vertex v are first[v] to first[v+1] - 1, in
/// the order of their targets, repeated ones in the order of their weights. Every target is a
/// vertex, no weight is above most_weight.
///
/// An undirected graph has each edge as two arcs of the same weight; a loop is one arc. Loops and
/// repeated arcs may occur.
struct graph {
  std::string name;
  std::vector<std::uint32_t> first = {0};
  std::vector<std::uint32_t> targets;
  std::vector<std::uint32_t> weights;
  bool is_simple = false;  ///< known to be undirected, without loops and repeated edges

  std::uint32_t vertices() const { return static_cast<std::uint32_t>(first.size() - 1); }
  std::uint32_t arcs() const { return static_cast<std::uint32_t>(targets.size()); }

  bool operator==(const graph&) const = default;
};

/// Puts the arcs of each vertex in order; all else must be as in a graph.
void sort_rows(graph& of);

/// What of a graph's rules is broken by rows and targets from a file, in words; nothing where they
/// are those of a graph, but for the order of its arcs.
std::optional<std::string> fault_of(const graph& of);

/// Of each arc the one that goes back (of a loop itself; of repeated ones those of the same place
/// among them); nothing where an arc has none. Weights do not matter.
std::optional<std::vector<std::uint32_t>> mates_of(const graph& of);

/// Whether each arc has one that goes back, of the same weight.
bool is_undirected(const graph& of);

/// The graph made simple: each arc both ways, no loops, of repeated edges the lightest. One that is
/// known to be simple is returned as it is.
graph undirected(graph of);

}  // namespace finesync::inputs
