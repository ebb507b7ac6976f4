// The arithmetic of counters that count a barrier's arrivals for ever and are never set back.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>
#include <type_traits>

namespace finesync {
inline namespace FINESYNC_ABI {

/// A 32-bit word on which `arrivals` parties add once per epoch. One of them adds so much more that
/// an epoch is worth a power of two: then the word may wrap around, and shows by itself which epoch
/// is under way, also to a party of a later launch.
class epoch_counter {
 public:
  /// \param arrivals 1 to 2^20.
  __device__ explicit epoch_counter(std::uint32_t arrivals) : arrivals_(arrivals) {
    while (epoch_ < arrivals) epoch_ *= 2;
  }

  /// What one epoch adds up to.
  __device__ std::uint32_t epoch() const { return epoch_; }
  /// What the party adds that makes up for the missing ones, and what each other adds.
  __device__ std::uint32_t increment(bool makes_up) const {
    return makes_up ? epoch_ - (arrivals_ - 1) : 1;
  }
  /// What the word shows when the epoch under way is complete. Ask before arriving.
  __device__ std::uint32_t target(std::uint32_t word) const {
    return (word & ~(epoch_ - 1)) + epoch_;
  }

 private:
  std::uint32_t arrivals_;
  std::uint32_t epoch_ = 1;
};

/// Whether a word that only grows has come to `target`, wrapped around or not.
template <class Word>
__device__ bool has_reached(Word word, Word target) {
  return static_cast<std::make_signed_t<Word>>(word - target) >= 0;
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
