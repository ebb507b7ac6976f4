// SPDX-License-Identifier: Apache-2.0
// A named barrier per warp: the producers arrive at it, the consumers wait there (ICS'15, Listing
// 12, `warp_barr`).
//
// Participants: whole warps.
// Scope: block.
// Ordering: that of the barrier: all that the producers did before give().
// Progress: waits are in hardware, without polls. No watchdog ends them, so a producer whose own
//   wait timed out still gives.
// Residency: one block.
// Traffic: only the tokens.
// Memory: the tokens, and of the block's 15 barriers one for each warp that gives, or two if
//   channels are used repeatedly.
// Fairness: there is one consumer.
// Reset: none; close() returns a barrier to its initial state.
#pragma once

#include "finesync/dataflow/channel.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/ptx/named_barrier.cuh"
#include "finesync/device/watchdog.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <channel_use Use>
class named_barrier_channel {
 public:
  __device__ named_barrier_channel(unsigned full, cell<std::uint32_t>& value)
      : full_(full), value_(value) {}

  __device__ void open() {}
  __device__ void close() {
    if (Use == channel_use::repeated && given_) named_barrier_sync(empty(), 2 * 32);
  }
  __device__ void give(std::uint32_t token) {
    value_ = token;
    given_ = true;
    named_barrier_arrive(full_, 2 * 32);
  }
  __device__ bool wait_until_empty(const watchdog_ref& /*watchdog*/) {
    close();
    return true;
  }
  __device__ bool read(std::uint32_t& token, const watchdog_ref& /*watchdog*/) {
    named_barrier_sync(full_, 2 * 32);
    token = value_;
    return true;
  }
  __device__ bool take(std::uint32_t& token, const watchdog_ref& watchdog) {
    read(token, watchdog);
    if (Use == channel_use::repeated) named_barrier_arrive(empty(), 2 * 32);
    return true;
  }

 protected:
  __device__ unsigned empty() const { return full_ + 1; }

  unsigned full_;
  cell<std::uint32_t>& value_;
  bool given_ = false;
};

template <channel_use Use = channel_use::once>
class named_barrier_channels {
  static constexpr unsigned barriers_each = Use == channel_use::once ? 1 : 2;

 public:
  static constexpr bool by_warps = true;
  static constexpr bool orders_memory = true;
  static constexpr bool many_readers = false;
  static constexpr unsigned max_threads = 32 * ((named_barriers - 1) / barriers_each);

  /// Named barriers of the block used by this many producers.
  static constexpr unsigned barriers(unsigned producers) {
    return barriers_each * (producers / 32);
  }

  static constexpr std::size_t bytes(unsigned threads) { return 4 * std::size_t{threads}; }

  __device__ named_barrier_channels(unsigned char* memory, unsigned /*threads*/)
      : values_(reinterpret_cast<cell<std::uint32_t>*>(memory)) {}

  __device__ named_barrier_channel<Use> channel_of(unsigned producer) const {
    return {1 + barriers_each * (producer / 32), values_[producer]};
  }

 private:
  cell<std::uint32_t>* values_;
};

}  // namespace finesync::inline FINESYNC_ABI
