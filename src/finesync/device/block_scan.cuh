// SPDX-License-Identifier: Apache-2.0
// Sums over the threads of a block.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/warp.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Lives in shared memory. For blocks of whole warps; all threads of the block call it together.
class block_scan {
 public:
  /// \returns the sum of the values of lower threads; `total` becomes the sum of all.
  __device__ std::uint32_t exclusive_sum(std::uint32_t value, std::uint32_t& total) {
    const std::uint32_t before = exclusive_sum_once(value, total);
    __syncthreads();  // permits the next call
    return before;
  }
  /// The same for callers with their own barrier before the next call.
  __device__ std::uint32_t exclusive_sum_once(std::uint32_t value, std::uint32_t& total) {
    const std::uint32_t inclusive = sum_up_to_lane(value);
    if (lane_id() == 31) of_warps_[thread_rank() / 32] = inclusive;
    __syncthreads();
    std::uint32_t before = inclusive - value;
    total = 0;
    for (unsigned warp = 0; warp < block_threads() / 32; ++warp) {
      const std::uint32_t sum = of_warps_[warp];
      if (warp < thread_rank() / 32) before += sum;
      total += sum;
    }
    return before;
  }

 private:
  cell<std::uint32_t> of_warps_[32];
};

}  // namespace finesync::inline FINESYNC_ABI
