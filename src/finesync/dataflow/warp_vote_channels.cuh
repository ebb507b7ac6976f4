// SPDX-License-Identifier: Apache-2.0
// A word per warp shows whether there are tokens; all lanes poll it and vote (ICS'15, Listing 9,
// `warp_vote`). In ICS'15 one lane gets the lock bit, and the vote releases the others. Here all
// lanes read the word at once, and the vote keeps them together.
//
// Participants: whole warps.
// Scope: block.
// Ordering: a release store by the first lane after a __syncwarp(); acquiring loads, and a
//   __syncwarp() after the vote, as a vote orders no memory. Another __syncwarp() precedes the
//   loads, because the first lane may have changed the word since the others last read it.
// Progress: lock-free ends.
// Residency: one block.
// Traffic per warp: a load and a vote per poll, a store to give and to take, none to read.
// Memory: the tokens, and a word per warp.
// Fairness: no reader delays another.
// Reset: open().
#pragma once

#include "finesync/dataflow/word_per_warp_channels.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

class warp_vote_channel {
 public:
  __device__ warp_vote_channel(cell<std::uint32_t>& full, cell<std::uint32_t>& value)
      : full_(full), value_(value) {}

  __device__ void open() {
    if (is_first()) full_.store(0, memory_order::relaxed);
  }
  __device__ void close() {}
  __device__ void give(std::uint32_t token) {
    value_ = token;
    say(1);
  }
  __device__ bool wait_until_empty(const watchdog_ref& watchdog) {
    return wait_for(0, watchdog, awaited::empty_channel);
  }
  __device__ bool read(std::uint32_t& token, const watchdog_ref& watchdog) {
    if (!wait_for(1, watchdog, awaited::token)) return false;
    token = value_;
    return true;
  }
  __device__ bool take(std::uint32_t& token, const watchdog_ref& watchdog) {
    if (!read(token, watchdog)) return false;
    say(0);
    return true;
  }

 protected:
  __device__ bool is_first() const { return lane_id() == 0; }

  /// Stores after all lanes have completed their earlier accesses.
  __device__ void say(std::uint32_t full) {
    warp_.sync();
    if (is_first()) full_.store(full, memory_order::release);
  }

  __device__ bool wait_for(std::uint32_t full, const watchdog_ref& watchdog, awaited what) {
    warp_.sync();  // the other lanes must see the first lane's last store
    bounded_wait wait(watchdog, what);
    bool came = false;
    do {
      came = full_.load(memory_order::acquire) == full;
    } while (!warp_.any(came || wait.timed_out()));
    came = warp_.any(came);
    warp_.sync();
    return came;
  }

  atomic_ref<std::uint32_t, scope::block> full_;
  cell<std::uint32_t>& value_;
  lane_group warp_ = lane_group::whole_warp();
};

using warp_vote_channels = detail::word_per_warp_channels<warp_vote_channel>;

}  // namespace finesync::inline FINESYNC_ABI
