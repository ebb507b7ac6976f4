// SPDX-License-Identifier: Apache-2.0
// Division by a number that is known before the kernel, without the instruction sequence of a
// division.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

class fixed_divisor {
 public:
  /// \param divisor not 0.
  __host__ __device__ explicit fixed_divisor(std::uint32_t divisor)
      : divisor_(divisor), reciprocal_(divisor < 2 ? 0 : ~std::uint64_t{0} / divisor + 1) {}

  __host__ __device__ std::uint32_t divisor() const { return divisor_; }

  /// dividend / divisor, rounded down: the upper words of a 96-bit product, exact for all numbers
  /// of 32 bits.
  __host__ __device__ std::uint32_t quotient(std::uint32_t dividend) const {
    if (divisor_ < 2) return dividend;
    const std::uint64_t low = (reciprocal_ & 0xffffffffu) * dividend;
    const std::uint64_t high = (reciprocal_ >> 32) * dividend;
    return static_cast<std::uint32_t>((high + (low >> 32)) >> 32);
  }

 private:
  std::uint32_t divisor_;
  std::uint64_t reciprocal_;
};

}  // namespace finesync::inline FINESYNC_ABI
