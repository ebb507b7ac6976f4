// Flow networks of other shapes than meshes: hard for some algorithms, or as real ones are.
#pragma once

#include <inputs/graphs/flow_network.hpp>

#include <cstdint>
#include <string>

namespace finesync::inputs {

/// A sequence of `frames` square grids of `side` x `side` vertices. Neighbours in a frame have arcs
/// in both directions, wide enough for all that arrives from the frame before. Each vertex has an
/// arc to a vertex of the next frame, its image in a random permutation, of capacity 1 to 10,000.
/// From the first vertex of the first frame to the last of the last (D. Goldfarb, M. Grigoriadis,
/// "A computational comparison of the Dinic and network simplex methods for maximum flow", 1988:
/// GENRMF).
flow_network frames_network(const std::string& name, std::uint32_t side, std::uint32_t frames,
                            std::uint32_t seed);

/// Two parts of 2 `size` + 2 vertices, each a way from source to sink; the second is the first one
/// in reverse. A path of `size` arcs, a unit narrower from each to the next, has a way out at each
/// vertex into a second path, which is wide. Each unit has a longer way than the one before: so E.
/// Dinitz's algorithm has `size` phases (after B. Cherkassky, A. Goldberg, "On implementing the
/// push-relabel method for the maximum flow problem", 1997: AK). The flow is 2 `size` + 4.
flow_network ladder_network(const std::string& name, std::uint32_t size);

/// `side` left and `side` right vertices; each left one has `degree` arcs to random right ones. All
/// capacities are 1, but those of repeated arcs: the flow is the size of a largest matching.
flow_network matching_network(const std::string& name, std::uint32_t side, std::uint32_t degree,
                              std::uint32_t seed);

/// `layers` layers of `width` vertices, each with three arcs to random vertices of the next layer,
/// of capacity 1 to 10,000. Arcs from the source and to the sink are wide enough for all.
flow_network layered_network(const std::string& name, std::uint32_t width, std::uint32_t layers,
                             std::uint32_t seed);

/// 2^`scale` vertices and 8 times as many arcs by graph500_law(), capacities 1 to 100. The source
/// is the vertex that most can leave, the sink the one where most of the rest can arrive.
flow_network power_law_network(const std::string& name, std::uint32_t scale, std::uint32_t seed);

}  // namespace finesync::inputs
