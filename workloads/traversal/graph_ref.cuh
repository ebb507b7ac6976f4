// A graph in device memory, as kernels see it.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::traversal {

/// Compressed sparse rows, as in inputs::graph. No kernel writes the graph.
struct graph_ref {
  std::uint32_t vertices;
  const std::uint32_t* rows;     ///< begin of each row, vertices + 1 entries
  const std::uint32_t* targets;  ///< target of each arc
  const std::uint32_t* weights;  ///< weight of each arc; null if all are 1
};

/// A vertex whose arcs are still to be followed, or a part of them.
struct alignas(16) frontier_entry {
  std::uint32_t vertex;
  std::uint32_t distance;  ///< of the vertex, when the entry was made
  std::uint32_t first;     ///< its first arc of this entry
  std::uint32_t arcs;      ///< number of arcs of this entry
};

}  // namespace finesync::traversal
