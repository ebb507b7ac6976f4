// Planar graphs in rows: the edges of a vertex are a function of only (seed, vertex), the same on
// host and device.
#pragma once

#include <finesync/device/platform.cuh>
#include <inputs/random.cuh>

#include <cstdint>

namespace finesync::inputs {

/// Vertices of a lattice are numbered row by row, `width` in a row. Each has edges back, to its
/// neighbours in the west, the north and the north-west; its other edges are edges back of its
/// neighbours.
struct links_back {
  static constexpr std::uint32_t west = 1;
  static constexpr std::uint32_t north = 2;
  static constexpr std::uint32_t north_west = 4;
};

/// All links that this vertex can have.
__host__ __device__ constexpr std::uint32_t possible_links(std::uint32_t width,
                                                           std::uint32_t vertex) {
  const bool has_west = vertex % width != 0;
  const bool has_north = vertex >= width;
  return (has_west ? links_back::west : 0) | (has_north ? links_back::north : 0) |
         (has_west && has_north ? links_back::north_west : 0);
}

/// A grid with four neighbours per vertex and 70 % of the edges.
__host__ __device__ constexpr std::uint32_t grid_links(std::uint32_t width, std::uint32_t seed,
                                                       std::uint32_t vertex) {
  constexpr std::uint32_t kept = 45'875;  // of 65,536
  const std::uint32_t bits = random32(seed, 0, vertex);
  return possible_links(width, vertex) & (((bits & 0xffff) < kept ? links_back::west : 0) |
                                          (bits >> 16 < kept ? links_back::north : 0));
}

/// Like a road network. One edge back of each vertex, in a random direction, connects it; each of
/// the two others exists once in ten times. So the mean degree is 2.41, as in the USA. The path
/// between opposite corners has about 1.5 times the square root of the number of vertices, as in
/// road networks.
__host__ __device__ constexpr std::uint32_t road_links(std::uint32_t width, std::uint32_t seed,
                                                       std::uint32_t vertex) {
  const std::uint32_t possible = possible_links(width, vertex);
  // In the first row or column there is at most one direction.
  if ((possible & links_back::north_west) == 0) return possible;
  constexpr std::uint32_t kept = 6'717;  // of 65,536
  const std::uint32_t bits = random32(seed, 1, vertex);
  const std::uint32_t way = bounded(random32(seed, 0, vertex), 3);
  const std::uint32_t next = (way + 1) % 3;
  const std::uint32_t last = (way + 2) % 3;
  return 1u << way | ((bits & 0xffff) < kept ? 1u << next : 0) |
         (bits >> 16 < kept ? 1u << last : 0);
}

}  // namespace finesync::inputs
