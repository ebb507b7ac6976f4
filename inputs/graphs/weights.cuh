// Weights for graphs that have none: a function of the two vertices of an edge, in either order,
// the same on host and device.
#pragma once

#include <finesync/device/platform.cuh>
#include <inputs/random.cuh>

#include <cstdint>

namespace finesync::inputs {

/// 32 bits of an edge under `seed`.
__host__ __device__ constexpr std::uint32_t edge_bits(std::uint32_t seed, std::uint32_t one,
                                                      std::uint32_t other) {
  constexpr std::uint32_t apart = 0x77656967;  // separates them from the numbers of the generators
  return one < other ? random32(seed ^ apart, one, other) : random32(seed ^ apart, other, one);
}

/// Uniform from 1 to `most`.
__host__ __device__ constexpr std::uint32_t uniform_weight(std::uint32_t bits, std::uint32_t most) {
  return bounded(bits, most) + 1;
}

/// Like lengths of roads: nearly log-normal, median 917, standard deviation of the logarithm 0.75.
/// In whole numbers, so that it does not depend on how a machine rounds.
__host__ __device__ constexpr std::uint32_t road_weight(std::uint32_t bits) {
  // The sum of eight bytes is nearly normal: mean 1,020, standard deviation 209.
  std::int32_t sum = 0;
  const std::uint32_t more = mix32(bits);
  for (std::uint32_t shift = 0; shift < 32; shift += 8)
    sum += static_cast<std::int32_t>((bits >> shift & 0xff) + (more >> shift & 0xff));
  // The logarithm to base 2, in 65536ths: log2(917) + (sum - 1020) / 209 x 0.75 / ln 2.
  constexpr std::int32_t median = 644'905;
  constexpr std::int32_t step = 339;
  const auto log = static_cast<std::uint32_t>(median + (sum - 1020) * step);
  // 2^x is close to 1 + 0.656 x + 0.344 x^2 between 0 and 1.
  const std::uint64_t x = log & 0xffff;
  const std::uint64_t mantissa = 65'536 + ((43'008 + (22'528 * x >> 16)) * x >> 16);
  return static_cast<std::uint32_t>((mantissa << (log >> 16)) >> 16);
}

}  // namespace finesync::inputs
