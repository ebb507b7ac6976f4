// Weights for graphs without weights.
#pragma once

#include <inputs/graphs/graph.hpp>

namespace finesync::inputs {

/// Uniform from 1 to 100, as Galois does for such graphs; from weights.cuh.
void set_usual_weights(graph& of);
/// Like a road network.
void set_road_weights(graph& of);

}  // namespace finesync::inputs
