// SPDX-License-Identifier: Apache-2.0
// An mbarrier per warp in shared memory: 32 producers arrive, and consumers test for the end of its
// phase.
//
// Participants: whole warps give; each lane waits independently.
// Scope: block.
// Ordering: arrivals release; a test that finds the phase ended acquires all that the 32 producers
//   did.
// Progress: lock-free ends.
// Residency: one block.
// Traffic: one arrival per thread to give, and one to take; a poll may wait in hardware.
// Memory: the tokens, and per warp 8 bytes, or 16 if channels are used repeatedly.
// Fairness: no reader delays another.
// Reset: close(), __syncthreads(), open().
#pragma once

#include "finesync/dataflow/channel.cuh"
#include "finesync/device/ptx/mbarrier.cuh"
#include "finesync/device/warp.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <channel_use Use>
class mbarrier_channel {
 public:
  /// \param barriers the full barrier, followed by the empty barrier.
  __device__ mbarrier_channel(mbarrier* barriers, cell<std::uint32_t>& value)
      : barriers_(barriers), value_(value) {}

  __device__ void open() {
    if (lane_id() == 0) {
      full().init(32);
      if (Use == channel_use::repeated) empty().init(32);
    }
  }
  __device__ void close() {
    if (lane_id() == 0) {
      full().invalidate();
      if (Use == channel_use::repeated) empty().invalidate();
    }
  }
  __device__ void give(std::uint32_t token) {
    value_ = token;
    full().arrive();
    ++tokens_;
  }
  __device__ bool is_empty() {
    return Use == channel_use::once || tokens_ == 0 || empty().has_ended(tokens_ - 1);
  }
  __device__ bool try_read(std::uint32_t& token) {
    if (!full().has_ended(tokens_)) return false;
    token = value_;
    return true;
  }
  __device__ bool try_take(std::uint32_t& token) {
    if (!try_read(token)) return false;
    if (Use == channel_use::repeated) empty().arrive();
    ++tokens_;
    return true;
  }

 private:
  __device__ mbarrier& full() const { return barriers_[0]; }
  __device__ mbarrier& empty() const { return barriers_[1]; }

  mbarrier* barriers_;
  cell<std::uint32_t>& value_;
  unsigned tokens_ = 0;  ///< number of tokens passed through this end
};

template <channel_use Use = channel_use::once>
class mbarrier_channels {
  static constexpr unsigned barriers_each = Use == channel_use::once ? 1 : 2;

 public:
  static constexpr bool by_warps = true;
  static constexpr bool orders_memory = true;
  static constexpr bool many_readers = true;
  static constexpr unsigned max_threads = 1024;

  static constexpr std::size_t bytes(unsigned threads) {
    return 4 * std::size_t{threads} + sizeof(mbarrier) * barriers_each * (threads / 32);
  }

  __device__ mbarrier_channels(unsigned char* memory, unsigned threads)
      : values_(reinterpret_cast<cell<std::uint32_t>*>(memory)),
        barriers_(reinterpret_cast<mbarrier*>(values_ + threads)) {}

  __device__ mbarrier_channel<Use> channel_of(unsigned producer) const {
    return {barriers_ + barriers_each * (producer / 32), values_[producer]};
  }

 private:
  cell<std::uint32_t>* values_;
  mbarrier* barriers_;
};

}  // namespace finesync::inline FINESYNC_ABI
