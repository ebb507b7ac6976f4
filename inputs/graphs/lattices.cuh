// Planar graphs in rows: the edges of a vertex are a function of (seed, vertex) alone, the same on
// host and device.
#pragma once

#include <finesync/device/platform.cuh>
#include <inputs/random.cuh>

#include <cstdint>

namespace finesync::inputs {

/// Vertices of a lattice are numbered row by row, `width` in a row. Each has edges back, to its
/// neighbours in the west, the north and between both; those on are its neighbours' edges back.
struct links_back {
  static constexpr std::uint32_t west = 1;
  static constexpr std::uint32_t north = 2;
  static constexpr std::uint32_t north_west = 4;
};

/// All that there is for this vertex.
__host__ __device__ constexpr std::uint32_t possible_links(std::uint32_t width,
                                                           std::uint32_t vertex) {
  const bool has_west = vertex % width != 0;
  const bool has_north = vertex >= width;
  return (has_west ? links_back::west : 0) | (has_north ? links_back::north : 0) |
         (has_west && has_north ? links_back::north_west : 0);
}

/// A grid of four neighbours, of whose edges 70 % are there.
__host__ __device__ constexpr std::uint32_t grid_links(std::uint32_t width, std::uint32_t seed,
                                                       std::uint32_t vertex) {
  constexpr std::uint32_t kept = 45'875;  // of 65,536
  const std::uint32_t bits = random32(seed, 0, vertex);
  return possible_links(width, vertex) & (((bits & 0xffff) < kept ? links_back::west : 0) |
                                          (bits >> 16 < kept ? links_back::north : 0));
}

/// Like a network of roads: connected by one edge back of each vertex, in a random direction; the
/// two others are there once in ten times, which makes the mean degree 2.41 as that of the USA.
/// From one corner to the other it is about 1.5 times the root of the number of vertices, as in
/// road networks.
__host__ __device__ constexpr std::uint32_t road_links(std::uint32_t width, std::uint32_t seed,
                                                       std::uint32_t vertex) {
  const std::uint32_t possible = possible_links(width, vertex);
  // In the first row or column there is one direction or none.
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
