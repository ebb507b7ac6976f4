// SPDX-License-Identifier: Apache-2.0
// The client's side of the fast message path: a small buffer per server, sent by the thread that
// fills a half. Message path and contract: fast/channel.cuh.
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
class fast_channel<Argument, Slot, Order, Scope, Rings>::outbox {
 public:
  static std::size_t shared_bytes(const server_config& config, unsigned /*threads_per_block*/) {
    return config.servers *
           (sizeof(staging_slot) + config.local_buffer * packed::units * sizeof(std::uint64_t));
  }

  /// All threads of the block construct it together.
  __device__ outbox(const fast_channel& channel, unsigned char* shared,
                    const watchdog_ref& watchdog)
      : channel_(channel),
        watchdog_(watchdog),
        half_(channel.config_.local_buffer / 2),
        staging_(reinterpret_cast<staging_slot*>(
            shared + channel.config_.servers * channel.config_.local_buffer * packed::units *
                         sizeof(std::uint64_t))),
        stage_(reinterpret_cast<cell<std::uint64_t>*>(shared)) {
    constexpr unsigned staging_words = sizeof(staging_slot) / sizeof(std::uint32_t);
    for (unsigned i = thread_rank(); i < channel_.config_.servers * staging_words;
         i += block_threads())
      reinterpret_cast<cell<std::uint32_t>*>(staging_)[i] = 0;
    __syncthreads();
  }

  /// Sends a request, possibly later. Any threads of the block, converged or not. A key's number is
  /// below 2^31; otherwise require() ends the kernel.
  /// \returns false when the watchdog ended a wait for space: leave the kernel.
  __device__ bool send(const destination& to, const Argument& argument) {
    const routed_request<Argument> one[1] = {{to, argument}};
    return send(one);
  }

  /// Sends several requests; faster than one by one, as their round trips to the L2 overlap.
  template <unsigned Count>
  __device__ bool send(const routed_request<Argument> (&batch)[Count]) {
    const lane_group together = lane_group::active_lanes();
    if (together.is_whole_warp()) return send_in(lane_group::whole_warp(), batch);
    return send_in(together, batch);
  }

  /// Sends a request past the buffers, for a client that waits for the reply. Any threads of the
  /// block, converged or not. \returns false when the watchdog ended a wait for space: leave the
  /// kernel.
  __device__ bool send_now(const destination& to, const Argument& argument) {
    return channel_.send_alone(to.server, packed_for(to, argument), seen(to.server), watchdog_);
  }

  /// Sends the rest and counts this block as finished. All threads of the block, after their last
  /// send(). \returns false when the watchdog ended a wait for space.
  __device__ bool finish() {
    __syncthreads();
    const lane_group warp = lane_group::whole_warp();
    bool all_sent = true;
    for (unsigned first = thread_rank() / 32 * 32; first < channel_.config_.servers;
         first += block_threads()) {
      const unsigned server = first + lane_id();
      pending_entry rest = {};
      rest.server = server;
      if (server < channel_.config_.servers) {
        const std::uint32_t end = staging_[server].taken;
        rest.owed = end & (half_ - 1);
        rest.entry = end - rest.owed;
        if (rest.owed > 0) rest.position = reserve(server, rest.owed);
      }
      bounded_wait wait(watchdog_, awaited::ring, server);
      std::uint32_t last_seen = 0;
      while (all_sent && warp.any(rest.owed > 0)) {
        const std::uint32_t now = space(rest);
        copy_full_half(warp, rest, now);
        rest.advance(now);
        const std::uint32_t reached = half_state(rest);
        if (warp.any(now > 0 || reached != last_seen)) {
          wait.restart();
        } else {
          all_sent = !warp.any(wait.timed_out());
        }
        last_seen = reached;
      }
    }
    // The barrier orders all reservations of the block before the count of this block.
    __syncthreads();
    channel_.rings_.sign_off(thread_rank(), block_threads());
    return all_sent;
  }

 protected:
  // The buffer for one server: two halves, filled and sent independently. Each half has its own
  // counts since the start. Seven words put neighbours into different banks.
  struct staging_slot {
    cell<std::uint32_t> taken;      ///< entries given to threads
    cell<std::uint32_t> filled[2];  ///< entries written in even and in odd halves
    cell<std::uint32_t> sent[2];    ///< even and odd halves copied to the ring, free again
    cell<std::uint32_t> consumed;   ///< the server's `consumed`, last value read
    std::uint32_t padding;
  };

  __device__ cell<std::uint64_t>& staged(unsigned server, std::uint32_t entry, unsigned unit) {
    const unsigned entries = channel_.config_.local_buffer;
    return stage_[(server * packed::units + unit) * entries + (entry & (entries - 1))];
  }

  // A request that is not sent yet and, if it filled a half, that half.
  struct pending_entry {
    packed what;
    unsigned server;
    std::uint32_t entry;     ///< the request's entry, then the first one owed
    std::uint32_t position;  ///< ring position of the first entry owed
    std::uint32_t owed;      ///< entries with ring positions, not yet copied
    bool waiting;            ///< not yet in the staging slot

    __device__ void advance(std::uint32_t count) {
      entry += count;
      position += count;
      owed -= count;
    }
  };

  template <unsigned Count>
  __device__ bool send_in(const lane_group& group, const routed_request<Argument> (&batch)[Count]) {
    pending_entry pending[Count];
    for (unsigned i = 0; i < Count; ++i) pending[i] = take(batch[i]);
    idle_backoff idle;
    bounded_wait wait(watchdog_, awaited::ring, pending[0].server);
    std::uint32_t last_seen = 0;
    for (;;) {
      for (pending_entry& each : pending) put(each);
      group.sync();  // extends the acquire of the lane that filled a half to all lanes
      std::uint32_t copied[Count];
      for (unsigned i = 0; i < Count; ++i) {
        copied[i] = space(pending[i]);
        copy_full_half(group, pending[i], copied[i]);
      }
      group.sync();
      bool busy = false;
      bool moved = false;
      for (unsigned i = 0; i < Count; ++i) {
        moved = moved || copied[i] > 0;
        if (copied[i] > 0 && copied[i] == pending[i].owed)
          sent(pending[i]).store(half_of(pending[i].entry) / 2 + 1, memory_order::release);
        pending[i].advance(copied[i]);
        busy = busy || pending[i].waiting || pending[i].owed > 0;
      }
      if (!group.any(busy)) return true;
      if (group.any(moved)) {
        wait.restart();
        continue;
      }
      std::uint32_t now = 0;
      for (const pending_entry& each : pending) now += half_state(each);
      if (group.any(now != last_seen)) {
        wait.restart();
      } else if (group.any(wait.timed_out())) {
        return false;
      }
      last_seen = now;
      idle.wait(1);
    }
  }

  // Changes whenever the condition that the entry waits for advances, even if only for other lanes.
  __device__ std::uint32_t half_state(const pending_entry& of) {
    if (of.waiting) return sent(of).load(memory_order::relaxed);
    return of.owed == 0 ? 0 : seen(of.server).load(memory_order::relaxed);
  }

  __device__ block_word sent(const pending_entry& of) {
    return block_word(staging_[of.server].sent[half_of(of.entry) % 2]);
  }
  __device__ std::uint32_t half_of(std::uint32_t entry) const {
    return entry >> channel_.half_bits_;
  }

  __device__ pending_entry take(const routed_request<Argument>& wanted) {
    const std::uint32_t entry =
        block_word(staging_[wanted.to.server].taken).fetch_add(1, memory_order::relaxed);
    return {packed_for(wanted.to, wanted.argument), wanted.to.server, entry, 0, 0, true};
  }

  // Puts the request into its staging slot if there is room. A lane that fills a half must then
  // copy it (it owes the half).
  __device__ void put(pending_entry& mine) {
    const std::uint32_t half = half_of(mine.entry);
    if (!mine.waiting || sent(mine).load(memory_order::acquire) != half / 2) return;
    for (unsigned unit = 0; unit < packed::units; ++unit)
      staged(mine.server, mine.entry, unit) = mine.what.unit[unit];
    mine.waiting = false;
    const block_word filled(staging_[mine.server].filled[half % 2]);
    if (filled.fetch_add(1, memory_order::acq_rel) == (half / 2 + 1) * half_ - 1) {
      mine.entry = half * half_;
      mine.owed = half_;
      mine.position = reserve(mine.server, half_);
    }
  }

  __device__ std::uint32_t reserve(unsigned server, std::uint32_t count) {
    return channel_.reserve(server, count, seen(server));
  }
  __device__ block_word seen(unsigned server) { return block_word(staging_[server].consumed); }

  // Copies `now` owed entries of each lane to the ring. All lanes copy together, for one lane after
  // another.
  __device__ void copy_full_half(const lane_group& group, const pending_entry& mine,
                                 std::uint32_t now) {
    unsigned left = group.ballot(now > 0);
    if (left != 0) release_earlier_writes();
    for (; left != 0; left &= left - 1) {
      const int lane = __ffs(static_cast<int>(left)) - 1;
      const unsigned server = group.get(mine.server, lane);
      const std::uint32_t entry = group.get(mine.entry, lane);
      const std::uint32_t position = group.get(mine.position, lane);
      const std::uint32_t count = group.get(now, lane);
      for (std::uint32_t i = group.rank(); i < count; i += static_cast<unsigned>(group.size())) {
        packed copy;
        for (unsigned unit = 0; unit < packed::units; ++unit)
          copy.unit[unit] = staged(server, entry + i, unit);
        channel_.put(server, position + i, copy);
      }
    }
  }

  // Number of owed entries whose ring positions are free.
  __device__ std::uint32_t space(const pending_entry& wanted) {
    if (wanted.owed == 0) return 0;
    return channel_.space(wanted.server, wanted.position, wanted.owed, seen(wanted.server));
  }

  const fast_channel& channel_;
  const watchdog_ref& watchdog_;
  std::uint32_t half_;
  staging_slot* staging_;
  cell<std::uint64_t>* stage_;
};

}  // namespace finesync::inline FINESYNC_ABI
