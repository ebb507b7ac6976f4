// Counter-based random numbers: number i of a stream is a function of only (seed, stream, i), the
// same on host and device, in any order, without state.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::inputs {

/// A bijective 32-bit mix with good avalanche (the constants are C. Wellons' "lowbias32", found by
/// search and published in his hash-prospector).
__host__ __device__ constexpr std::uint32_t mix32(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

/// Number `index` of stream `stream` under `seed`, uniform over 32 bits.
__host__ __device__ constexpr std::uint32_t random32(std::uint32_t seed, std::uint32_t stream,
                                                     std::uint32_t index) {
  return mix32(index * 0x9e3779b9u + mix32(stream * 0x85ebca6bu + mix32(seed)));
}

/// `bits`, uniform over 32 bits, mapped to 0 .. bound-1 (bias below bound / 2^32).
__host__ __device__ constexpr std::uint32_t bounded(std::uint32_t bits, std::uint32_t bound) {
  return static_cast<std::uint32_t>((std::uint64_t{bits} * bound) >> 32);
}

}  // namespace finesync::inputs
