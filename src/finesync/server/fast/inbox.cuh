// The server's side of the fast message path: every thread owns its ring positions. Message path
// and contract: fast/channel.cuh.
#pragma once

#include "finesync/device/fence.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/server/fast/rings.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <class Argument, template <unsigned, scope> class Slot, message_order Order, scope Scope>
class fast_channel<Argument, Slot, Order, Scope>::inbox {
 public:
  static std::size_t shared_bytes(const server_config&, unsigned /*threads_per_block*/) {
    return sizeof(ring_progress);
  }

  /// All threads of the block construct it together; blocks are whole warps.
  __device__ inbox(const fast_channel& channel, unsigned server, unsigned char* shared,
                   const watchdog_ref& watchdog)
      : inbox(channel, server, shared, watchdog, 0, block_threads() / 32) {}

  /// For the case that only warps `first` to `first + warps - 1` of the block receive.
  __device__ inbox(const fast_channel& channel, unsigned server, unsigned char* shared,
                   const watchdog_ref& watchdog, unsigned first, unsigned warps)
      : channel_(channel),
        watchdog_(watchdog),
        server_(server),
        warp_(thread_rank() / 32 - first),
        warps_(warps),
        progress_(*reinterpret_cast<ring_progress*>(shared)) {
    if (thread_rank() < 32) progress_.passed_by_warp[thread_rank()] = 0;
    if (is_first_of_block()) progress_.announced = 0;
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
    window seen = {0, false};
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
      if (!__any_sync(all_lanes, before(now.position, seen.reserved))) {
        if (seen.final) return true;
        seen = poll_reserved(seen);
      }
      announce(now.position);
      if (__any_sync(all_lanes, wait.timed_out())) return false;
      idle.wait(1);
      now = poll_slot(now.position, seen);
    }
  }

 private:
  struct window {
    std::uint32_t reserved;  ///< requests lie, or will soon, below this position
    bool final;              ///< `reserved` will not grow
  };
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

  // Polls only where a client may have written. Above `reserved` there are no requests, and a ring
  // above `announced` the parity is that of an older lap.
  __device__ slot_poll poll_slot(std::uint32_t position, const window& seen) {
    const std::uint32_t end = announced().load(memory_order::relaxed) + channel_.config_.ring;
    slot_poll at = {position, before(position, seen.reserved) && before(position, end), {}};
    if (at.polled) channel_.at(server_, position).load(at.found);
    return at;
  }
  __device__ bool arrived(const slot_poll& at) {
    return at.polled && slot::arrived(at.found, lap_parity(at.position, channel_.config_.ring));
  }

  __device__ block_word announced() { return block_word(progress_.announced); }
  __device__ block_word passed_by(unsigned warp) {
    return block_word(progress_.passed_by_warp[warp]);
  }

  __device__ static std::uint32_t reserved_of(control& of) {
    return static_cast<std::uint32_t>(position_word(of.positions).load(memory_order::relaxed) >>
                                      reserved_shift);
  }

  // Once all clients have finished, `reserved` is final: a client counts itself as finished with
  // release.
  __device__ window poll_reserved(const window& before) {
    control& mine = channel_.control_[server_];
    std::uint32_t reserved = 0;
    int final = 0;
    if (lane_id() == 0) {
      reserved = reserved_of(mine);
      if (reserved == before.reserved &&
          ring_word(mine.clients_done).load(memory_order::relaxed) == channel_.config_.clients) {
        fence<memory_order::acquire, Scope>();
        reserved = reserved_of(mine);
        final = 1;
      }
    }
    return {__shfl_sync(all_lanes, reserved, 0), __shfl_sync(all_lanes, final, 0) != 0};
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
    if (announced().compare_exchange(from, goal, memory_order::relaxed)) {
      control& mine = channel_.control_[server_];
      position_word(mine.positions).fetch_add(step, memory_order::relaxed);
      ring_word(mine.consumed).fetch_add(step, memory_order::relaxed);
    }
  }

  const fast_channel& channel_;
  const watchdog_ref& watchdog_;
  unsigned server_;
  unsigned warp_;
  unsigned warps_;
  ring_progress& progress_;
};

}  // namespace finesync::inline FINESYNC_ABI
