// SPDX-License-Identifier: Apache-2.0
// The sending side of the paper's message path (ASPLOS'19, section 3.2.4).
//
// A block has a local buffer per server in shared memory, organized like the rings: a write index,
// a bit per entry that marks a request, and a read index. A send has two steps. The lanes write
// their own requests to the local buffers. Then the warp copies the ready requests of one local
// buffer, chosen round robin, to the server's ring.
//
// Where the paper is silent:
// - One warp at a time copies a local buffer (`busy`, a try-lock); a warp that finds it busy does
//   not wait. The warp holds the lock while it waits for space in the ring, so a block has at most
//   one unfinished reservation per ring.
// - A lane with a full local buffer has its warp copy that buffer.
// - At most half a ring is reserved at a time (paper/channel.cuh says why that cannot deadlock).
//
// No deadlock here: inside copy() a warp waits for space in only one ring, and holds a reservation
// only there. Before that it has written those of its lanes' requests that had space in a local
// buffer. The others need an older entry of their buffer to be copied, and the oldest always has
// space.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/server/masked_rings.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Whether a copy to a ring looks at the ring's read_idx only if the block's copy of it shows too
/// little space (figure 5), or always.
enum class read_idx_refresh { lazy, always };

template <class Argument, scope Scope, read_idx_refresh Refresh = read_idx_refresh::lazy>
class paper_outbox {
 public:
  using rings = masked_rings<Argument, Scope>;

  static std::size_t shared_bytes(const server_config& config, unsigned /*threads_per_block*/) {
    const std::size_t words_per_server =
        config.local_buffer / 32 + std::size_t{rings::request::words} * config.local_buffer;
    return sizeof(turn) +
           config.servers * (sizeof(staging_slot) + words_per_server * sizeof(std::uint32_t));
  }

  /// All threads of the block construct it together.
  __device__ paper_outbox(const rings& to, unsigned char* shared, const watchdog_ref& watchdog)
      : rings_(to),
        watchdog_(watchdog),
        entries_(to.config().local_buffer),
        turn_(*reinterpret_cast<turn*>(shared)),
        staging_(reinterpret_cast<staging_slot*>(shared + sizeof(turn))),
        masks_(reinterpret_cast<cell<std::uint32_t>*>(staging_ + to.config().servers)),
        stage_(masks_ + to.config().servers * (entries_ / 32)) {
    auto* words = reinterpret_cast<cell<std::uint32_t>*>(shared);
    for (cell<std::uint32_t>* word = words + thread_rank(); word < stage_; word += block_threads())
      *word = 0;
    __syncthreads();
  }

  /// Sends a request, possibly later. Any threads of the block, converged or not.
  /// \returns false when the watchdog ended a wait for space: leave the kernel.
  __device__ bool send(const destination& to, const Argument& argument) {
    const lane_group group = lane_group::active_lanes();
    bounded_wait wait(watchdog_, awaited::ring, to.server);
    if (!put(group, to.server, rings::request::of(to.local, argument), wait)) return false;
    std::uint32_t chosen = 0;
    if (group.is_leader()) chosen = next_server();
    return copy(group, group.get(chosen, group.leader()), wait);
  }

  /// Sends a request past the local buffers, for a client that waits for the reply.
  /// \returns false when the watchdog ended a wait for space: leave the kernel.
  __device__ bool send_now(const destination& to, const Argument& argument) {
    return send_alone(rings_, to.server, rings::request::of(to.local, argument), watchdog_);
  }

  /// Sends the rest and counts this block as finished. All threads of the block, after their last
  /// send(). \returns false when the watchdog ended a wait for space.
  __device__ bool finish() {
    __syncthreads();
    const lane_group warp = lane_group::whole_warp();
    const unsigned servers = rings_.config().servers;
    bool all_sent = true;
    for (unsigned server = thread_rank() / 32; all_sent && server < servers;
         server += block_threads() / 32) {
      bounded_wait wait(watchdog_, awaited::ring, server);
      while (all_sent && !is_empty(warp, server))
        all_sent = copy(warp, server, wait) && !warp.any(wait.timed_out());
    }
    // The barrier orders all reservations of the block before the count of this block.
    __syncthreads();
    count_as_done(rings_, thread_rank(), block_threads());
    return all_sent;
  }

 protected:
  using block_word = atomic_ref<std::uint32_t, scope::block>;

  // The local buffer to copy next.
  struct turn {
    cell<std::uint32_t> next;
  };
  // A local buffer's metadata. Entries are counted since the start, like the ring's positions.
  struct staging_slot {
    cell<std::uint32_t> write_idx;      ///< entries below are given to lanes
    cell<std::uint32_t> read_idx;       ///< entries below are copied and free again
    cell<std::uint32_t> busy;           ///< set while a warp copies; protects what it changes
    cell<std::uint32_t> ring_read_idx;  ///< lazy copy of the ring's read_idx
  };

  __device__ block_word mask(unsigned server, std::uint32_t entry) {
    return block_word(masks_[server * (entries_ / 32) + (entry & (entries_ - 1)) / 32]);
  }
  __device__ cell<std::uint32_t>& staged(unsigned server, std::uint32_t entry, unsigned word) {
    return stage_[(server * rings::request::words + word) * entries_ + (entry & (entries_ - 1))];
  }

  // Step 1: each lane writes its request to the local buffer.
  //
  // From lane to copying warp: the entry's bit is set with release and read with acquire. From the
  // copying warp to the entry's next lane: read_idx is stored with release after the requests are
  // copied and their bits cleared, and read with acquire.
  __device__ bool put(const lane_group& group, unsigned server,
                      const typename rings::request& request, bounded_wait& wait) {
    const block_word freed(staging_[server].read_idx);
    const std::uint32_t entry =
        block_word(staging_[server].write_idx).fetch_add(1, memory_order::relaxed);
    bool written = false;
    std::uint32_t last_seen = 0;
    for (;;) {
      const std::uint32_t free = freed.load(memory_order::acquire);
      if (!written && entry - free < entries_) {
        write(server, entry, request);
        written = true;
      }
      unsigned waiting = group.ballot(!written);
      if (waiting == 0) return true;
      if (group.any(free != last_seen)) wait.restart();
      last_seen = free;
      while (waiting != 0) {
        const unsigned full = group.get(server, __ffs(static_cast<int>(waiting)) - 1);
        if (!copy(group, full, wait)) return false;
        waiting &= ~group.ballot(server == full);
      }
      if (group.any(wait.timed_out())) return false;
    }
  }

  // To a free entry.
  __device__ void write(unsigned server, std::uint32_t entry,
                        const typename rings::request& request) {
    for (unsigned i = 0; i < rings::request::words; ++i) staged(server, entry, i) = request.word[i];
    mask(server, entry).fetch_or(mask_bit(entry), memory_order::release);
  }

  // The server whose local buffer is next.
  __device__ std::uint32_t next_server() {
    return block_word(turn_.next).fetch_add(1, memory_order::relaxed) % rings_.config().servers;
  }

  // Step 2: the group copies consecutive ready requests from the local buffer to the ring, unless
  // another warp is doing so.
  // \returns false when the watchdog ended the wait for space.
  __device__ bool copy(const lane_group& group, unsigned server, bounded_wait& wait) {
    staging_slot& from = staging_[server];
    std::uint32_t entry = 0;
    std::uint32_t position = 0;
    std::uint32_t count = 0;
    if (group.is_leader() && try_lock(from)) {
      entry = block_word(from.read_idx).load(memory_order::relaxed);
      count = ready_from(server, entry);
      if (count == 0) {
        unlock(from);
      } else {
        position = rings_.write_idx(server).fetch_add(count, memory_order::relaxed);
      }
    }
    count = group.get(count, group.leader());
    if (count == 0) return true;
    entry = group.get(entry, group.leader());
    position = group.get(position, group.leader());
    if (!await_space(group, server, position + count, wait)) return false;
    move(group, server, entry, position, count);
    return true;
  }

  // Copies reserved requests to the ring, which has space, and unlocks the local buffer.
  __device__ void move(const lane_group& group, unsigned server, std::uint32_t entry,
                       std::uint32_t position, std::uint32_t count) {
    staging_slot& from = staging_[server];
    // Extends the leader's acquire (of the entries and the ring's slots) to all lanes.
    group.sync();
    for (std::uint32_t i = group.rank(); i < count; i += static_cast<unsigned>(group.size())) {
      typename rings::request request;
      for (unsigned word = 0; word < rings::request::words; ++word)
        request.word[word] = staged(server, entry + i, word);
      rings_.store(server, position + i, request);
    }
    // The leader releases for the group: to its block, then to the server.
    group.sync();
    if (group.is_leader()) {
      for_each_mask_word(entry, count, 0, 1, [&](std::uint32_t at, std::uint32_t bits) {
        mask(server, at).fetch_and(~bits, memory_order::relaxed);
      });
      block_word(from.read_idx).store(entry + count, memory_order::release);
      unlock(from);
      fence<memory_order::release, Scope>();
      for_each_mask_word(position, count, 0, 1, [&](std::uint32_t at, std::uint32_t bits) {
        rings_.mask(server, at).fetch_or(bits, memory_order::relaxed);
      });
    }
  }

  __device__ bool try_lock(staging_slot& which) {
    const block_word busy(which.busy);
    std::uint32_t expected = 0;
    return busy.load(memory_order::relaxed) == 0 &&
           busy.compare_exchange(expected, 1, memory_order::acquire);
  }
  __device__ void unlock(staging_slot& which) {
    block_word(which.busy).store(0, memory_order::release);
  }

  // Number of consecutive requests in the local buffer from `entry` on, at most half a ring.
  __device__ std::uint32_t ready_from(unsigned server, std::uint32_t entry) {
    const unsigned half_ring = rings_.config().ring / 2;
    const unsigned most = entries_ < half_ring ? entries_ : half_ring;
    std::uint32_t count = 0;
    while (count < most) {
      const std::uint32_t at = entry + count;
      const unsigned more = bits_in_a_row(mask(server, at).load(memory_order::acquire), at);
      count += more;
      if (more < 32 - at % 32) break;
    }
    return count < most ? count : most;
  }

  // Waits until the ring is free up to `end`. Only the leader polls.
  __device__ bool await_space(const lane_group& group, unsigned server, std::uint32_t end,
                              bounded_wait& wait) {
    std::uint32_t read_idx = 0;
    for (;;) {
      std::uint32_t now = read_idx;
      const int free = group.is_leader() && has_space(server, end, now) ? 1 : 0;
      now = group.get(now, group.leader());
      if (now != read_idx) wait.restart();
      read_idx = now;
      if (group.get(free, group.leader()) != 0) return true;
      if (group.any(wait.timed_out())) return false;
    }
  }
  // If the ring was polled, `now` becomes its read_idx.
  // The copy is a plain word under the lock. It is refreshed after an acquire fence, which the lock
  // hands on to the warps that use the copy later.
  __device__ bool has_space(unsigned server, std::uint32_t end, std::uint32_t& now) {
    const std::uint32_t needed = end - rings_.config().ring;
    const auto reaches = [&](std::uint32_t read_idx) {
      return static_cast<std::int32_t>(read_idx - needed) >= 0;
    };
    if (Refresh == read_idx_refresh::lazy && reaches(staging_[server].ring_read_idx)) return true;
    now = rings_.read_idx(server).load(memory_order::relaxed);
    if (!reaches(now)) return false;
    fence<memory_order::acquire, Scope>();
    staging_[server].ring_read_idx = now;
    return true;
  }

  // To be called once no lane sends any more.
  __device__ bool is_empty(const lane_group& group, unsigned server) {
    staging_slot& which = staging_[server];
    int empty = 0;
    if (group.is_leader()) {
      empty = block_word(which.read_idx).load(memory_order::relaxed) ==
              block_word(which.write_idx).load(memory_order::relaxed);
    }
    return group.get(empty, group.leader()) != 0;
  }

  const rings& rings_;
  const watchdog_ref& watchdog_;
  unsigned entries_;  ///< entries per local buffer
  turn& turn_;
  staging_slot* staging_;
  cell<std::uint32_t>* masks_;
  cell<std::uint32_t>* stage_;
};

}  // namespace finesync::inline FINESYNC_ABI
