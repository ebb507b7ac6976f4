// A graph in device memory, as kernels see it.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::mst {

/// Limits that let a number and two flags fit in 32 bits.
inline constexpr std::uint32_t max_vertices = 0x3fffffffu;
inline constexpr std::uint32_t max_arcs = 0x7fffffffu;

/// Compressed sparse rows. An edge is stored as two arcs, one in the row of each end. The targets
/// of a row ascend strictly and exclude its own vertex. No kernel writes the graph.
struct graph_ref {
  std::uint32_t vertices;
  std::uint32_t arcs;
  const std::uint32_t* rows;     ///< begin of each row, vertices + 1 entries
  const std::uint32_t* targets;  ///< target of each arc
  const std::uint32_t* weights;  ///< weight of each arc
};

}  // namespace finesync::mst
