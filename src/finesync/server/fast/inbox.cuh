// SPDX-License-Identifier: Apache-2.0
// The server's side of the fast message path: every thread owns its ring positions. Message path
// and contract: fast/channel.cuh.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/server/fast/rings.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <class Argument, template <unsigned, scope> class Slot, message_order Order, scope Scope,
          template <class, scope> class Rings>
class fast_channel<Argument, Slot, Order, Scope, Rings>::inbox {
 public:
  static std::size_t shared_bytes(const server_config& config, unsigned /*threads_per_block*/) {
    return rings::sources(config) * sizeof(ring_progress);
  }

  /// All threads of the block construct it together; blocks are whole warps.
  __device__ inbox(const fast_channel& channel, unsigned server, unsigned char* shared,
                   const watchdog_ref& watchdog)
      : inbox(channel, server, shared, watchdog, 0, block_threads() / 32) {}

  /// For the case that only warps `first` to `first + warps - 1` of the block receive.
  __device__ inbox(const fast_channel& channel, unsigned server, unsigned char* shared,
                   const watchdog_ref& watchdog, unsigned first, unsigned warps)
      : inbox(channel, server, shared, watchdog,
              rings::share_of_warp(channel.config_, thread_rank() / 32 - first, warps)) {
    const unsigned words = rings::sources(channel.config_) * (sizeof(ring_progress) / 4);
    for (unsigned i = thread_rank(); i < words; i += block_threads())
      reinterpret_cast<cell<std::uint32_t>*>(shared)[i] = 0;
    __syncthreads();
  }

  /// Calls handle(here, local, argument) in all lanes of a warp for requests that have arrived,
  /// until all clients have finished. In lanes that are not `here` the other arguments are
  /// undefined. If the handler clears `here`, it gets the request again later. A handler that is
  /// pending() is called also without requests. \returns false when the handler did, in all lanes,
  /// or the watchdog ended a wait: leave the kernel.
  template <class Handler>
  __device__ bool receive(Handler&& handle) {
    slot_poll now = {warp_ * 32 + lane_id(), false, {}};
    ring_window seen = {0, false};
    idle_backoff idle;
    bounded_wait wait(watchdog_, awaited::requests);
    for (;;) {
      const bool offered = arrived(now);
      if (__any_sync(all_lanes, offered) || handle.pending()) {
        wait.restart();
        idle = {};
        // The next round trip to the L2 overlaps with the handling of this request.
        const slot_poll ahead = poll_slot(now.position + (offered ? warps_ * 32 : 0), seen);
        bool here = offered;
        acquire_earlier_writes();
        if (!handle(here, now.found.local(), now.found.argument())) return false;
        if (here == offered) now = ahead;
        announce(now.position);
        continue;
      }
      const bool expects = __any_sync(all_lanes, before(now.position, seen.reserved));
      if (!seen.final && !(incoming::shows_reserved && expects))
        seen = look(seen);
      else if (!expects)
        return true;
      announce(now.position);
      if (__any_sync(all_lanes, wait.timed_out())) return false;
      idle.wait(1);
      now = poll_slot(now.position, seen);
    }
  }

 private:
  using incoming = typename rings::incoming;

  // A ring position and, if it was polled, what it held.
  struct slot_poll {
    std::uint32_t position;
    bool polled;
    packed found;
  };
  struct ring_progress {
    cell<std::uint32_t> announced;           ///< positions below are known to the clients as free
    cell<std::uint32_t> passed_by_warp[32];  ///< the warp's positions below are done
  };

  __device__ inbox(const fast_channel& channel, unsigned server, unsigned char* shared,
                   const watchdog_ref& watchdog, const warp_share& share)
      : channel_(channel),
        watchdog_(watchdog),
        ring_(channel.rings_, server, share.source),
        warp_(share.warp),
        warps_(share.warps),
        progress_(reinterpret_cast<ring_progress*>(shared)[share.source]) {}

  // Polls only where a client may have written. Above `reserved`, if it is known, there are no
  // requests, and a ring above `announced` the parity is that of an older lap.
  __device__ slot_poll poll_slot(std::uint32_t position, const ring_window& seen) {
    const std::uint32_t end = announced().load(memory_order::relaxed) + channel_.config_.ring;
    const bool unknown = !incoming::shows_reserved && !seen.final;
    slot_poll at = {
        position, (unknown || before(position, seen.reserved)) && before(position, end), {}};
    if (at.polled) ring_.at(position).load(at.found);
    return at;
  }
  __device__ bool arrived(const slot_poll& at) {
    return at.polled && slot::arrived(at.found, lap_parity(at.position, channel_.config_.ring));
  }

  __device__ block_word announced() { return block_word(progress_.announced); }
  __device__ block_word passed_by(unsigned warp) {
    return block_word(progress_.passed_by_warp[warp]);
  }

  __device__ ring_window look(const ring_window& before) {
    ring_window now = {0, false};
    if (lane_id() == 0) now = ring_.look(before);
    return {__shfl_sync(all_lanes, now.reserved, 0),
            __shfl_sync(all_lanes, int{now.final}, 0) != 0};
  }

  // Notifies the clients when all lanes of all warps have passed another step of the ring, one step
  // per call. Two warps that arrive at the same time may each miss the other's word, so a warp that
  // waits tries again.
  __device__ void announce(std::uint32_t position) {
    const std::uint32_t step = channel_.config_.ring < 256 ? 32 : channel_.config_.ring / 8;
    std::uint32_t from = __shfl_sync(all_lanes, announced().load(memory_order::relaxed), 0);
    const std::uint32_t goal = from + step;
    if (__any_sync(all_lanes, before(position, goal))) return;
    if (lane_id() == 0) passed_by(warp_).store(goal, memory_order::release);
    __syncwarp();
    const bool past =
        lane_id() >= warps_ || !before(passed_by(lane_id()).load(memory_order::acquire), goal);
    if (!__all_sync(all_lanes, past) || lane_id() != 0) return;
    if (announced().compare_exchange(from, goal, memory_order::relaxed)) ring_.give_back(step);
  }

  const fast_channel& channel_;
  const watchdog_ref& watchdog_;
  incoming ring_;
  unsigned warp_;
  unsigned warps_;
  ring_progress& progress_;
};

}  // namespace finesync::inline FINESYNC_ABI
