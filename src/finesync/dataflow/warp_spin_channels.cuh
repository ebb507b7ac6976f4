// SPDX-License-Identifier: Apache-2.0
// A spin lock per warp (ICS'15, section 5, `shrd_lock`): spin_channels.cuh with one lock for the 32
// tokens of a warp. The warp's first lane operates it.
//
// Participants: whole warps.
// Scope: block.
// Ordering: the first lane acquires, and __syncwarp() passes that on to the other lanes; before it
//   releases, __syncwarp() passes their writes on to it.
// Progress: deadlock-free.
// Residency: one block.
// Traffic per warp: a compare-exchange per poll; an exchange to give, to take and to read.
// Memory: the tokens, and a word per warp.
// Fairness: none among readers.
// Reset: open().
#pragma once

#include "finesync/dataflow/channel_lock.cuh"
#include "finesync/dataflow/word_per_warp_channels.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

class warp_spin_channel {
 public:
  __device__ warp_spin_channel(cell<std::uint32_t>& held, cell<std::uint32_t>& value)
      : lock_(held), value_(value) {}

  __device__ void open() {
    if (is_first()) lock_.open();
  }
  __device__ void close() {}
  __device__ void give(std::uint32_t token) {
    value_ = token;
    warp_.sync();
    if (is_first()) lock_.give();
  }
  __device__ bool wait_until_empty(const watchdog_ref& watchdog) {
    return first_waits(watchdog, awaited::empty_channel, [&] { return lock_.is_empty(); });
  }
  __device__ bool take(std::uint32_t& token, const watchdog_ref& watchdog) {
    return get(token, false, watchdog);
  }
  __device__ bool read(std::uint32_t& token, const watchdog_ref& watchdog) {
    return get(token, true, watchdog);
  }

 private:
  __device__ bool is_first() const { return lane_id() == 0; }

  __device__ bool get(std::uint32_t& token, bool stays, const watchdog_ref& watchdog) {
    if (!first_waits(watchdog, awaited::token, [&] { return lock_.try_lock(); })) return false;
    token = value_;
    warp_.sync();
    if (is_first()) lock_.unlock(stays);
    return true;
  }

  template <class Poll>
  __device__ bool first_waits(const watchdog_ref& watchdog, awaited what, Poll poll) {
    bool came = true;
    if (is_first()) {
      bounded_wait wait(watchdog, what);
      while (came && !poll()) came = !wait.timed_out();
    }
    warp_.sync();
    return warp_.get(came, 0);
  }

  detail::channel_lock<> lock_;
  cell<std::uint32_t>& value_;
  lane_group warp_ = lane_group::whole_warp();
};

using warp_spin_channels = detail::word_per_warp_channels<warp_spin_channel>;

}  // namespace finesync::inline FINESYNC_ABI
