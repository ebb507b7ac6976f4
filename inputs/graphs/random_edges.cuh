// Edges of random graphs: edge i of a graph is a function of only (seed, i), the same on host and
// device.
#pragma once

#include <finesync/device/platform.cuh>
#include <inputs/random.cuh>

#include <cstdint>

namespace finesync::inputs {

struct edge_ends {
  std::uint32_t from;
  std::uint32_t to;

  bool operator==(const edge_ends&) const = default;
};

/// Probabilities of the quarters of an adjacency matrix, applied recursively (D. Chakrabarti, Y.
/// Zhan, C. Faloutsos, "R-MAT", 2004), in units of 2^-26; their sum is 2^26.
struct rmat_law {
  std::uint32_t upper_left;
  std::uint32_t upper_right;
  std::uint32_t lower_left;
  std::uint32_t lower_right;
  bool has_jitter;  ///< each probability changes by up to 5 % per level
};

__host__ __device__ constexpr rmat_law rmat_law_of_percents(std::uint32_t upper_left,
                                                            std::uint32_t upper_right,
                                                            std::uint32_t lower_left,
                                                            bool has_jitter) {
  constexpr std::uint32_t all = 1u << 26;
  const std::uint32_t one = upper_left * (all / 100);
  const std::uint32_t two = upper_right * (all / 100);
  const std::uint32_t three = lower_left * (all / 100);
  return {one, two, three, all - one - two - three, has_jitter};
}

/// Probabilities of SSCA#2, which the published rmat22 used (docs/suite/inputs.md).
__host__ __device__ constexpr rmat_law ssca2_law() {
  return rmat_law_of_percents(55, 10, 10, true);
}

/// Probabilities of Graph500.
__host__ __device__ constexpr rmat_law graph500_law() {
  return rmat_law_of_percents(57, 19, 19, false);
}

/// `share` x 0.95 to 1.05, by a byte.
__host__ __device__ constexpr std::uint32_t jittered(std::uint32_t share, std::uint32_t byte) {
  const std::uint32_t factor = 62'259 + (byte * 6'579 >> 8);  // in 65536ths
  return static_cast<std::uint32_t>(std::uint64_t{share} * factor >> 16);
}

/// Edge `i` among 2^scale vertices. Loops and repeated edges occur.
__host__ __device__ constexpr edge_ends rmat_edge(rmat_law law, std::uint32_t scale,
                                                  std::uint32_t seed, std::uint32_t i) {
  edge_ends ends{0, 0};
  for (std::uint32_t level = 0; level < scale; ++level) {
    const std::uint32_t upper = law.upper_left + law.upper_right;
    const std::uint32_t all = upper + law.lower_left + law.lower_right;
    const std::uint32_t at = bounded(random32(seed, 2 * level, i), all);
    const bool is_lower = at >= upper;
    const bool is_right = is_lower ? at >= upper + law.lower_left : at >= law.upper_left;
    ends.from = 2 * ends.from + is_lower;
    ends.to = 2 * ends.to + is_right;
    if (!law.has_jitter) continue;
    const std::uint32_t bits = random32(seed, 2 * level + 1, i);
    law.upper_left = jittered(law.upper_left, bits & 0xff);
    law.upper_right = jittered(law.upper_right, bits >> 8 & 0xff);
    law.lower_left = jittered(law.lower_left, bits >> 16 & 0xff);
    law.lower_right = jittered(law.lower_right, bits >> 24);
  }
  return ends;
}

/// Edge `i` between any two of 2^scale vertices, scale 1 to 32; both may be the same.
__host__ __device__ constexpr edge_ends uniform_edge(std::uint32_t scale, std::uint32_t seed,
                                                     std::uint32_t i) {
  return {random32(seed, 0, i) >> (32 - scale), random32(seed, 1, i) >> (32 - scale)};
}

/// Edge `i` of a cycle through all 2^scale vertices, whose edges come first, and of random edges.
__host__ __device__ constexpr edge_ends cycle_edge(std::uint32_t scale, std::uint32_t seed,
                                                   std::uint32_t i) {
  const std::uint32_t last = (1u << scale) - 1;
  return i <= last ? edge_ends{i, (i + 1) & last} : uniform_edge(scale, seed, i);
}

}  // namespace finesync::inputs
