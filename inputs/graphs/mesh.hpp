// The meshes of the Washington generator (function 1), on which maximum flows are computed.
#pragma once

#include <inputs/graphs/flow_network.hpp>

#include <cstdint>
#include <string>

namespace finesync::inputs {

/// The source is 0, then come the columns, each `rows` vertices, then the sink. Each vertex has
/// three arcs, to the rows above, at and below it in the next column, where the last row and the
/// first are neighbours; their capacities are uniform from 1 to `largest`. The source has an arc to
/// each vertex of the first column, and each of the last has one to the sink, of capacity
/// 3 x `largest`.
struct mesh_shape {
  std::uint32_t rows;              ///< 3 or more
  std::uint32_t columns;           ///< 1 or more; rows x columns up to 500,000,000
  std::uint32_t largest = 10'000;  ///< 1 to 700,000,000
};

/// With the capacities that the program draws from glibc's random() after srandom(seed).
flow_network washington_mesh(const std::string& name, const mesh_shape& shape, std::uint32_t seed);

/// With those of mesh.cuh.
flow_network counted_mesh(const std::string& name, const mesh_shape& shape, std::uint32_t seed);

}  // namespace finesync::inputs
