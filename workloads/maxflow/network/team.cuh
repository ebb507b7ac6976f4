// Lanes that process the arcs of a node together.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::maxflow {

/// Lanes of a team.
inline constexpr unsigned team_lanes = 8;

/// The caller's place in its team, the team's place in its block, and the teams of a block.
__device__ inline unsigned team_rank() {
  return threadIdx.x % team_lanes;
}
__device__ inline unsigned team_of_block() {
  return threadIdx.x / team_lanes;
}
__device__ inline unsigned teams_of_block() {
  return blockDim.x / team_lanes;
}

/// The lanes of a team, as a group.
class team {
 public:
  __device__ team() : mask_(0xffu << (threadIdx.x % 32 / team_lanes * team_lanes)) {}

  __device__ bool is_leader() const { return team_rank() == 0; }
  __device__ void sync() const { __syncwarp(mask_); }

  /// The lanes that vote true; the lowest bit is the first lane.
  __device__ unsigned ballot(bool vote) const {
    return __ballot_sync(mask_, vote) >> (threadIdx.x % 32 / team_lanes * team_lanes) & 0xffu;
  }
  /// The value of that lane.
  template <class T>
  __device__ T of(unsigned lane, T value) const {
    return __shfl_sync(mask_, value, static_cast<int>(lane), team_lanes);
  }
  __device__ std::uint32_t least_of(std::uint32_t value) const {
    for (unsigned step = 1; step < team_lanes; step *= 2) {
      const std::uint32_t other = __shfl_xor_sync(mask_, value, static_cast<int>(step));
      value = other < value ? other : value;
    }
    return value;
  }
  /// The sum of the values of this lane and all lower ones.
  __device__ std::uint64_t sum_up_to(std::uint64_t value) const {
    for (unsigned step = 1; step < team_lanes; step *= 2) {
      const std::uint64_t below = __shfl_up_sync(mask_, value, step, team_lanes);
      if (team_rank() >= step) value += below;
    }
    return value;
  }

 private:
  unsigned mask_;
};

}  // namespace finesync::maxflow
