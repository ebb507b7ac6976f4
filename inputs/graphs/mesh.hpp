// The meshes of the Washington generator (function 1), inputs for maximum flows.
#pragma once

#include <inputs/graphs/flow_network.hpp>

#include <cstdint>
#include <string>

namespace finesync::inputs {

/// Vertex 0 is the source; the columns follow, each of `rows` vertices, then the sink. Each vertex
/// has three arcs to the next column: to the rows above, at and below it, where the last row and
/// the first are neighbours. Their capacities are uniform from 1 to `largest`. The source has an
/// arc to each vertex of the first column, and each vertex of the last has an arc to the sink, all
/// of capacity 3 x `largest`.
struct mesh_shape {
  std::uint32_t rows;              ///< 3 or more
  std::uint32_t columns;           ///< 1 or more; rows x columns up to 500,000,000
  std::uint32_t largest = 10'000;  ///< 1 to 700,000,000
};

/// With the original program's capacities, drawn from glibc's random() after srandom(seed).
flow_network washington_mesh(const std::string& name, const mesh_shape& shape, std::uint32_t seed);

/// With the capacities of mesh.cuh.
flow_network counted_mesh(const std::string& name, const mesh_shape& shape, std::uint32_t seed);

}  // namespace finesync::inputs
