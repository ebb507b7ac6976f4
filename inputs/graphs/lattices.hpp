// Graphs from the links of lattices.cuh.
#pragma once

#include <inputs/graphs/graph.hpp>

#include <cstdint>
#include <string>

namespace finesync::inputs {

/// `width` x `width` vertices, links by grid_links(); weights 1 to 100. Not connected.
graph grid_graph(const std::string& name, std::uint32_t width, std::uint32_t seed);

/// `vertices` vertices in the shape of a square, links by road_links(); weights like a road
/// network.
graph road_graph(const std::string& name, std::uint32_t vertices, std::uint32_t seed);

}  // namespace finesync::inputs
