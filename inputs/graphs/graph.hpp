// A graph in compressed sparse rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace finesync::inputs {

/// Limit of arcs: the number of arcs, and of vertices plus one, fits in 32 bits; 16 GB of targets.
constexpr std::uint64_t max_arcs = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t max_vertices = max_arcs - 1;
/// Limit of weights: the sum of two weights fits in 32 bits.
constexpr std::uint32_t max_weight = std::numeric_limits<std::int32_t>::max();

/// Vertices and arcs are numbered from 0. The arcs of vertex v are first[v] to first[v+1] - 1, in
/// the order of their targets; repeated arcs are in the order of their weights. Every target is a
/// vertex, no weight is above max_weight.
///
/// An undirected graph has each edge as two arcs of the same weight; a loop is one arc. Loops and
/// repeated arcs may occur.
struct graph {
  std::string name;
  std::vector<std::uint32_t> first = {0};
  std::vector<std::uint32_t> targets;
  std::vector<std::uint32_t> weights;
  bool is_simple = false;          ///< known to be undirected, without loops and repeated edges
  std::uint32_t first_number = 0;  ///< of vertex 0 in its file: 0 or 1

  std::uint32_t vertices() const { return static_cast<std::uint32_t>(first.size() - 1); }
  std::uint32_t arcs() const { return static_cast<std::uint32_t>(targets.size()); }

  bool operator==(const graph&) const = default;
};

/// Sorts the arcs of each vertex; all else must already be valid.
void sort_rows(graph& of);

/// Describes the first broken rule of a graph read from a file, apart from the order of its arcs;
/// nothing if there is none.
std::optional<std::string> fault_of(const graph& of);

/// The reverse arc of each arc; nothing if an arc has none. The reverse of a loop is the loop
/// itself; repeated arcs are paired in order. Weights do not matter.
std::optional<std::vector<std::uint32_t>> mates_of(const graph& of);

/// Whether each arc has a reverse arc of the same weight.
bool is_undirected(const graph& of);

/// The graph made simple: each arc in both directions, no loops, of repeated edges the lightest. A
/// graph known to be simple is returned unchanged.
graph undirected(graph of);

/// The graph with each arc turned round. A graph known to be simple is returned unchanged.
graph transposed(const graph& of);

/// The same graph with other numbers for its vertices. \param order all vertices, by their new
/// numbers
graph renumbered(const graph& of, std::span<const std::uint32_t> order);

}  // namespace finesync::inputs
