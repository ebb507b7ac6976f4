// SPDX-License-Identifier: Apache-2.0
// The fast message path without its two sides: its rings, and what senders do with them. Message
// path and contract: fast/channel.cuh.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/require.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/server/channel.cuh"
#include "finesync/server/fast/rings_of_a_grid.cuh"
#include "finesync/server/fast/wire.cuh"
#include "finesync/server/server_config.cuh"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// `Slot` is a parameter, and some members are protected, for the broken variants of the tests.
/// \tparam Rings where the rings lie (fast/rings_of_a_grid.cuh).
template <class Argument, template <unsigned, scope> class Slot = wire_slot,
          message_order Order = message_order::relaxed, scope Scope = scope::device,
          template <class, scope> class Rings = rings_of_a_grid>
class fast_channel {
 public:
  using argument_type = Argument;
  static constexpr bool keeps_requests = true;  ///< if a handler leaves them for later
  static constexpr unsigned min_warps = 1;
  using packed = packed_request<Argument>;
  using slot = Slot<packed::units, Scope>;
  using rings = Rings<slot, Scope>;
  using memory = typename rings::memory;

  /// Global memory for all rings, in bytes.
  static std::size_t memory_bytes(const server_config& config) { return rings::bytes(config); }

  fast_channel(const server_config& config, memory where)
      : config_(config),
        half_bits_(static_cast<unsigned>(std::countr_zero(config.local_buffer / 2))),
        rings_(config, where) {}

  __host__ __device__ const server_config& config() const { return config_; }
  __device__ grid_share share() const { return rings_.share(); }

  class outbox;         // fast/outbox.cuh
  class direct_outbox;  // fast/direct_outbox.cuh
  class inbox;          // fast/inbox.cuh

 protected:
  static constexpr unsigned all_lanes = 0xffffffffu;
  /// A waiter leaves the instruction slots of the SM to working threads.
  using idle_backoff = exponential_backoff<64, 1024>;

  using ring_word = atomic_ref<std::uint32_t, Scope>;
  using position_word = atomic_ref<std::uint64_t, Scope>;
  using block_word = atomic_ref<std::uint32_t, scope::block>;

  // For senders. `seen` is the server's `consumed` as last read by the sender's block.

  __device__ std::uint32_t reserve(unsigned server, std::uint32_t count,
                                   const block_word& seen) const {
    const std::uint64_t now =
        position_word(rings_.counts_of(server).positions)
            .fetch_add(std::uint64_t{count} << ring_counts::reserved_shift, memory_order::relaxed);
    seen.store(static_cast<std::uint32_t>(now), memory_order::relaxed);
    return static_cast<std::uint32_t>(now >> ring_counts::reserved_shift);
  }

  // Number of free positions from this one on, up to `wanted`, by the block's shared copy of
  // `consumed`. The copy is refreshed only when it does not show all as free (section 3.2.4, figure
  // 5). No thread waits for more: that would hold up what it owes to other servers. Relaxed is
  // enough. The server counts a position as consumed after it has used what it read there. The
  // client stores to the slot only if it has read that count. So no request can overtake the read
  // before it.
  __device__ std::uint32_t space(unsigned server, std::uint32_t position, std::uint32_t wanted,
                                 const block_word& seen) const {
    std::uint32_t free = free_from(position, seen.load(memory_order::relaxed));
    if (free < wanted) {
      const std::uint32_t now =
          ring_word(rings_.counts_of(server).consumed).load(memory_order::relaxed);
      seen.store(now, memory_order::relaxed);
      free = free_from(position, now);
    }
    return free < wanted ? free : wanted;
  }
  __device__ std::uint32_t free_from(std::uint32_t position, std::uint32_t consumed) const {
    const std::uint32_t end = consumed + config_.ring;
    return before(position, end) ? end - position : 0;
  }

  // Fences of a channel that shows earlier writes: before requests are stored, and after some have
  // been found.
  __device__ static void release_earlier_writes() {
    if constexpr (Order == message_order::release_acquire) fence<memory_order::release, Scope>();
  }
  __device__ static void acquire_earlier_writes() {
    if constexpr (Order == message_order::release_acquire) fence<memory_order::acquire, Scope>();
  }

  // Sends one request without gathering; lanes that send to the same server reserve together.
  __device__ bool send_alone(unsigned server, const packed& what, const block_word& seen,
                             const watchdog_ref& watchdog) const {
    const std::uint32_t position = reserve_one(server, seen);
    release_earlier_writes();
    std::uint32_t last_seen = seen.load(memory_order::relaxed);
    bounded_wait wait(watchdog, awaited::ring, server);
    bool sent = false;
    do {
      // Written inside the loop, so that lanes with space do not wait for lanes without.
      if (space(server, position, 1, seen) != 0) {
        put(server, position, what);
        sent = true;
      } else {
        const std::uint32_t now = seen.load(memory_order::relaxed);
        if (now != last_seen) wait.restart();
        last_seen = now;
        if (wait.timed_out()) return false;
      }
    } while (!sent);
    return true;
  }
  __device__ std::uint32_t reserve_one(unsigned server, const block_word& seen) const {
    const lane_group same = lane_group::with_same(server);
    std::uint32_t first = 0;
    if (same.is_leader()) first = reserve(server, static_cast<std::uint32_t>(same.size()), seen);
    return same.get(first, same.leader()) + same.rank();
  }

  __device__ static packed packed_for(const destination& to, const Argument& argument) {
    require(to.local < 1u << 31, "fast_channel: with one server, keys are below 2^31");
    return packed::of(to.local, argument);
  }

  __device__ void put(unsigned server, std::uint32_t position, const packed& what) const {
    rings_.slot_to(server, position).store(what, lap_parity(position, config_.ring));
  }

  server_config config_;
  unsigned half_bits_;  ///< log2 of the requests in half a local buffer
  rings rings_;
};

}  // namespace finesync::inline FINESYNC_ABI
