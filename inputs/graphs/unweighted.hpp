// Graphs that come without weights.
#pragma once

#include <inputs/graphs/graph.hpp>

namespace finesync::inputs {

/// Uniform from 1 to 100, which is what Galois gives such graphs, as weights.cuh has it.
void set_usual_weights(graph& of);
/// As of roads.
void set_road_weights(graph& of);

}  // namespace finesync::inputs
