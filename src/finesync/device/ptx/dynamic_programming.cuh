// SPDX-License-Identifier: Apache-2.0
// Operations on the cells of a dynamic-programming table.
#pragma once

#include "finesync/device/platform.cuh"
#include "finesync/device/warp.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The maximum of three: one instruction on Hopper and later.
__device__ __forceinline__ std::int32_t max_of(std::int32_t a, std::int32_t b, std::int32_t c) {
#ifdef FINESYNC_HOST_EXECUTOR
  const std::int32_t more = a < b ? b : a;
  return more < c ? c : more;
#else
  return __vimax3_s32(a, b, c);
#endif
}

/// Adds one of the four unsigned bytes of a word to a number, in one instruction.
class byte_selector {
 public:
  /// All lanes of a warp construct it together. \param place index of the byte, 0 the lowest.
  __device__ explicit byte_selector(unsigned place) : ones_(1u << 8 * place) {
#ifndef FINESYNC_HOST_EXECUTOR
    // Taken from another lane. The compiler would replace a known value by a shift, a mask and an
    // addition, and the assembler would recompute it at each use.
    ones_ = __shfl_sync(0xffffffffu, 1u << 8 * (lane_id() % 4), static_cast<int>(place));
#endif
  }

  /// \returns to + the byte of `bytes`.
  __device__ __forceinline__ std::int32_t add(std::uint32_t bytes, std::int32_t to) const {
#ifdef FINESYNC_HOST_EXECUTOR
    std::uint32_t sum = static_cast<std::uint32_t>(to);
    for (unsigned place = 0; place < 4; ++place)
      sum += (bytes >> 8 * place & 0xff) * (ones_ >> 8 * place & 0xff);
    return static_cast<std::int32_t>(sum);
#else
    return static_cast<std::int32_t>(__dp4a(bytes, ones_, static_cast<std::uint32_t>(to)));
#endif
  }

 private:
  std::uint32_t ones_;
};

}  // namespace finesync::inline FINESYNC_ABI
