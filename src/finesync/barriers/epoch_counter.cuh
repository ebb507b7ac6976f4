// SPDX-License-Identifier: Apache-2.0
// Arithmetic for counters that accumulate a barrier's arrivals and are never reset.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// A 32-bit word to which `arrivals` participants add once per epoch. One of them adds more, so
/// that an epoch adds a power of two. The word may then wrap around, and its value shows the
/// current epoch, also to a participant of a later launch.
class epoch_counter {
 public:
  /// \param arrivals 1 to 2^20.
  __device__ explicit epoch_counter(std::uint32_t arrivals) : arrivals_(arrivals) {
    while (epoch_ < arrivals) epoch_ *= 2;
  }

  /// The sum of one epoch.
  __device__ std::uint32_t epoch() const { return epoch_; }
  /// The amount that the participant with the larger share adds, or that any other adds.
  __device__ std::uint32_t increment(bool makes_up) const {
    return makes_up ? epoch_ - (arrivals_ - 1) : 1;
  }
  /// The word's value when the current epoch is complete. Call before arriving.
  __device__ std::uint32_t target(std::uint32_t word) const {
    return (word & ~(epoch_ - 1)) + epoch_;
  }

 private:
  std::uint32_t arrivals_;
  std::uint32_t epoch_ = 1;
};

/// Assigns arrivals to counters round-robin. Every counter advances by the same power of two
/// per epoch, because its first arrival adds the difference.
class counter_assignment {
 public:
  __device__ counter_assignment(unsigned arrivals, unsigned lines)
      : arrivals_(arrivals), lines_(lines) {}
  /// Counters with arrivals; 1 if there are no arrivals.
  __device__ unsigned used() const {
    return arrivals_ == 0 ? 1 : arrivals_ < lines_ ? arrivals_ : lines_;
  }
  __device__ std::uint32_t epoch() const {
    return arrivals_ == 0 ? 0 : epoch_counter((arrivals_ + lines_ - 1) / lines_).epoch();
  }
  /// The amount that arrival `number` (0-based) adds to counter `number` % lines.
  __device__ std::uint32_t increment(unsigned number) const { return increment(number, epoch()); }
  /// The same for counters with a larger epoch.
  __device__ std::uint32_t increment(unsigned number, std::uint32_t epoch) const {
    if (number >= lines_) return 1;
    const unsigned arrivals = (arrivals_ - number + lines_ - 1) / lines_;
    return epoch - (arrivals - 1);
  }

 private:
  unsigned arrivals_;
  unsigned lines_;
};

}  // namespace finesync::inline FINESYNC_ABI
