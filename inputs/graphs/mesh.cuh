// Capacities of a mesh that can be drawn in any order, the same on host and device.
#pragma once

#include <finesync/device/platform.cuh>
#include <inputs/random.cuh>

#include <cstdint>

namespace finesync::inputs {

/// Capacity of the arc from `vertex` to the row above (0), the same (1) or below (2) in the next
/// column: uniform from 1 to `largest`.
__host__ __device__ constexpr std::uint32_t mesh_capacity(std::uint32_t largest, std::uint32_t seed,
                                                          std::uint32_t vertex, std::uint32_t way) {
  return bounded(random32(seed, way, vertex), largest) + 1;
}

}  // namespace finesync::inputs
