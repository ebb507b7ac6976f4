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

}  // namespace finesync::inline FINESYNC_ABI
