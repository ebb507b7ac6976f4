// Instructions of a warp. A declaration says what a lane gives, what the instruction is, and what
// the lane gets.
#pragma once

#include "context.cuh"

#include <finesync/device/warp.cuh>

#include <bit>
#include <cstdint>

namespace finesync::instructions {

inline constexpr unsigned all_lanes = 0xffffffffu;

/// A lane's operand: from one execution to the next 1 more.
struct lane_number {
  __device__ static unsigned first(unsigned lane) { return lane; }
};

struct ballots : lane_number {
  // Of its lowest bit the compiler would know that it repeats.
  __device__ static unsigned of(unsigned operand) { return __ballot_sync(all_lanes, operand & 16); }
  static unsigned expected(unsigned /*lane*/, unsigned index) {
    return index / 16 % 2 ? ~(0xffff0000u >> index % 16) : 0xffff0000u >> index % 16;
  }
};
struct votes_any : lane_number {
  __device__ static unsigned of(unsigned operand) {
    return __any_sync(all_lanes, operand == 40) != 0;
  }
  static unsigned expected(unsigned /*lane*/, unsigned index) { return index > 8 && index <= 40; }
};
struct votes_all : lane_number {
  __device__ static unsigned of(unsigned operand) {
    return __all_sync(all_lanes, operand != 40) != 0;
  }
  static unsigned expected(unsigned /*lane*/, unsigned index) { return index <= 8 || index > 40; }
};
struct shuffles : lane_number {
  __device__ static unsigned of(unsigned operand) {
    return __shfl_sync(all_lanes, operand, static_cast<int>(lane_id() + 1) % 32);
  }
  static unsigned expected(unsigned lane, unsigned index) { return (lane + 1) % 32 + index; }
};
struct shuffles_up : lane_number {
  __device__ static unsigned of(unsigned operand) { return __shfl_up_sync(all_lanes, operand, 1); }
  static unsigned expected(unsigned lane, unsigned index) { return (lane ? lane - 1 : 0) + index; }
};
struct shuffles_xor : lane_number {
  __device__ static unsigned of(unsigned operand) { return __shfl_xor_sync(all_lanes, operand, 5); }
  static unsigned expected(unsigned lane, unsigned index) { return (lane ^ 5) + index; }
};
struct matches_any {
  __device__ static unsigned first(unsigned lane) { return lane / 4; }
  __device__ static unsigned of(unsigned operand) { return __match_any_sync(all_lanes, operand); }
  static unsigned expected(unsigned lane, unsigned /*index*/) { return 0xfu << lane / 4 * 4; }
};
struct matches_all {
  __device__ static unsigned first(unsigned /*lane*/) { return 0; }
  __device__ static unsigned of(unsigned operand) {
    int same = 0;
    const unsigned found = __match_all_sync(all_lanes, operand, &same);
    return same != 0 ? found : 0;
  }
  static unsigned expected(unsigned /*lane*/, unsigned /*index*/) { return all_lanes; }
};
struct sums : lane_number {
  __device__ static unsigned of(unsigned operand) { return lane_group::whole_warp().sum(operand); }
  static unsigned expected(unsigned /*lane*/, unsigned index) { return 31 * 32 / 2 + 32 * index; }
};
struct maxima : lane_number {
  __device__ static unsigned of(unsigned operand) { return lane_group::whole_warp().max(operand); }
  static unsigned expected(unsigned /*lane*/, unsigned index) { return 31 + index; }
};
struct syncs_warp : lane_number {
  __device__ static unsigned of(unsigned operand) {
    __syncwarp();
    return operand;
  }
  static unsigned expected(unsigned lane, unsigned index) { return lane + index; }
};

template <class Declared>
struct of_warp {
  static constexpr bool has_result = true;
  static constexpr unsigned threads_together = 32;

  __device__ explicit of_warp(const context& /*at*/) : first(Declared::first(lane_id())) {}

  __device__ __forceinline__ unsigned step(std::uint32_t link, unsigned index) const {
    return Declared::of((first + index) | link);
  }
  __device__ __forceinline__ unsigned seen(unsigned found, unsigned /*index*/) const {
    return found;
  }

  /// The sum of what a thread gets.
  static std::uint64_t expected(unsigned thread, unsigned /*threads*/, unsigned executions) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < executions; ++i) sum += Declared::expected(thread % 32, i);
    return sum;
  }

  unsigned first;
};

}  // namespace finesync::instructions
