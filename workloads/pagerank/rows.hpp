// Rows of a graph in classes, by the number of threads that sum one. Host and device.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::pagerank {

/// The arcs to a vertex, in 16 bytes, which are read at once.
struct alignas(16) rank_row {
  std::uint32_t vertex;
  std::uint32_t first;  ///< of its sources
  std::uint32_t arcs;   ///< that end at the vertex
  float inverse;        ///< one over the number of arcs that begin there; 1 if there are none
};

/// Sources that a thread reads before it looks at the first: that many reads are in flight.
inline constexpr std::uint32_t in_flight = 4;

/// The classes, longest rows first. Short rows take one step.
enum class row_class : unsigned { block, warp, lanes, thread };
inline constexpr unsigned row_class_count = 4;
inline constexpr unsigned lanes_of_row = 8;  ///< for row_class::lanes

inline row_class class_of(std::uint32_t arcs) {
  if (arcs <= in_flight) return row_class::thread;
  if (arcs <= lanes_of_row * in_flight) return row_class::lanes;
  return arcs <= 1024 ? row_class::warp : row_class::block;
}

/// The longest chain of additions in the sum of a row: those of a thread, then up to five among the
/// lanes of a warp, and five among warps.
inline std::uint32_t chain_of_additions(std::uint32_t arcs, unsigned threads_per_block) {
  const unsigned threads[row_class_count] = {threads_per_block, 32, lanes_of_row, 1};
  const unsigned own = threads[static_cast<unsigned>(class_of(arcs))];
  return (arcs + own - 1) / own + 10;
}

/// A graph in device memory, as kernels see it; none writes it. Rows and sources are class after
/// class, so that the lanes of a warp read neighbouring ones.
struct graph_ref {
  std::uint32_t vertices;
  const rank_row* rows;                 ///< of all vertices
  std::uint32_t ends[row_class_count];  ///< of the classes in `rows`
  const std::uint32_t* sources;         ///< of each row, those with an arc to its vertex
};

}  // namespace finesync::pagerank
