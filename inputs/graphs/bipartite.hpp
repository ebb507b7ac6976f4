// Ratings as a graph.
#pragma once

#include <inputs/graphs/graph.hpp>
#include <inputs/ratings/ratings.hpp>

namespace finesync::inputs {

/// The lefts, then the rights, as vertices, and an edge of weight 1 for each pair that has a
/// rating. Undirected and simple. Throws input_error if there are more vertices or arcs than a
/// graph may have.
graph bipartite_graph(const ratings& all);

}  // namespace finesync::inputs
