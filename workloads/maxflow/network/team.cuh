// Threads that process the arcs of a node together: a team of eight lanes, or a block. Both have
// the same functions, which all of them call together.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::maxflow {

/// Lanes of a team.
inline constexpr unsigned team_lanes = 8;

/// The team's place in its block, and the teams of a block.
__device__ inline unsigned team_of_block() {
  return threadIdx.x / team_lanes;
}
__device__ inline unsigned teams_of_block() {
  return blockDim.x / team_lanes;
}

/// The least value of this many neighbouring lanes of a warp, and the sum of the values of a lane
/// and all lower ones among them.
template <unsigned Lanes>
__device__ std::uint32_t least_among(unsigned mask, std::uint32_t value) {
  for (unsigned step = 1; step < Lanes; step *= 2) {
    const std::uint32_t other = __shfl_xor_sync(mask, value, static_cast<int>(step));
    value = other < value ? other : value;
  }
  return value;
}
template <unsigned Lanes>
__device__ std::uint64_t sum_up_to_lane(unsigned mask, std::uint64_t value) {
  for (unsigned step = 1; step < Lanes; step *= 2) {
    const std::uint64_t below = __shfl_up_sync(mask, value, step, Lanes);
    if (threadIdx.x % Lanes >= step) value += below;
  }
  return value;
}

/// The lanes of a team, as a group.
class team {
 public:
  static constexpr unsigned ends_of_lane = 1;  ///< of a row, that a lane holds in registers
  static constexpr bool rises_again = false;   ///< whether a discharge goes on with a raised node

  __device__ team() : mask_(0xffu << (threadIdx.x % 32 / team_lanes * team_lanes)) {}

  __device__ static unsigned rank() { return threadIdx.x % team_lanes; }
  __device__ static constexpr unsigned count() { return team_lanes; }
  __device__ static bool is_leader() { return rank() == 0; }
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
    return least_among<team_lanes>(mask_, value);
  }
  /// The sum of the values of this lane and all lower ones.
  __device__ std::uint64_t sum_up_to(std::uint64_t value) const {
    return sum_up_to_lane<team_lanes>(mask_, value);
  }

 private:
  unsigned mask_;
};

/// All threads of a block, which are whole warps. For nodes with many arcs: with 2,000 of them, a
/// team takes 250 trips to memory one after the other, and takes them again each time that it has
/// raised the node. Teams gain nothing by that: all their neighbours move meanwhile.
class whole_block {
 public:
  static constexpr unsigned ends_of_lane = 4;
  static constexpr bool rises_again = true;

  /// In shared memory.
  struct memory {
    cell<std::uint64_t> of_warps[32];
    cell<std::uint64_t> of_one;
  };

  __device__ explicit whole_block(memory& shared) : shared_(shared) {}

  __device__ static unsigned rank() { return threadIdx.x; }
  __device__ static unsigned count() { return blockDim.x; }
  __device__ static bool is_leader() { return rank() == 0; }
  __device__ void sync() const { __syncthreads(); }

  template <class T>
  __device__ T of(unsigned lane, T value) const {
    if (rank() == lane) shared_.of_one = value;
    __syncthreads();
    const std::uint64_t found = shared_.of_one;
    __syncthreads();
    return static_cast<T>(found);
  }
  __device__ std::uint32_t least_of(std::uint32_t value) const {
    std::uint32_t least = least_among<32>(0xffffffffu, value);
    each_warp(least, [&](unsigned /*warp*/, std::uint64_t other) {
      if (other < least) least = static_cast<std::uint32_t>(other);
    });
    return least;
  }
  __device__ std::uint64_t sum_up_to(std::uint64_t value) const {
    value = sum_up_to_lane<32>(0xffffffffu, value);
    const std::uint64_t of_warp = __shfl_sync(0xffffffffu, value, 31);
    each_warp(of_warp, [&](unsigned warp, std::uint64_t other) {
      if (warp < threadIdx.x / 32) value += other;
    });
    return value;
  }

 private:
  /// Shows each thread a value of each warp.
  template <class Visit>
  __device__ void each_warp(std::uint64_t mine, Visit visit) const {
    if (threadIdx.x % 32 == 0) shared_.of_warps[threadIdx.x / 32] = mine;
    __syncthreads();
    for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) visit(warp, shared_.of_warps[warp]);
    __syncthreads();
  }

  memory& shared_;
};

}  // namespace finesync::maxflow
