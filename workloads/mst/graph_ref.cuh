// A graph in device memory, as kernels see it.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::mst {

/// So that a number and two flags fill a word.
inline constexpr std::uint32_t most_vertices = 0x3fffffffu;
inline constexpr std::uint32_t most_arcs = 0x7fffffffu;

/// Compressed rows. Every edge stands in the rows of both its ends, as an arc each; a row has its
/// targets in ascending order, none of them twice, and none is the vertex itself. Nobody writes it.
struct graph_ref {
  std::uint32_t vertices;
  std::uint32_t arcs;
  const std::uint32_t* rows;     ///< vertices + 1: where each begins
  const std::uint32_t* targets;  ///< of arcs
  const std::uint32_t* weights;  ///< of arcs
};

}  // namespace finesync::mst
