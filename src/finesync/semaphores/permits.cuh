// SPDX-License-Identifier: Apache-2.0
// The valid sizes of a semaphore and the valid permit counts of an acquisition.
#pragma once

#include "finesync/device/require.cuh"

#include <stdexcept>
#include <string>

namespace finesync::inline FINESYNC_ABI {

/// \throws std::invalid_argument unless it is 1 to 2^31.
inline unsigned checked_size(unsigned size) {
  if (size == 0 || size > 1u << 31) {
    throw std::invalid_argument("a semaphore of size " + std::to_string(size) +
                                ": 1 to 2147483648 are possible");
  }
  return size;
}

/// Ends the kernel unless `permits` is 1 to the semaphore's size.
__device__ __forceinline__ void require_permits(unsigned permits, unsigned size) {
  require(permits - 1 < size, "a semaphore gives out 1 to its size of permits");
}

}  // namespace finesync::inline FINESYNC_ABI
