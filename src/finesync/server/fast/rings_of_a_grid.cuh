// SPDX-License-Identifier: Apache-2.0
// The rings of servers and clients that are one grid, one per server, in one piece of memory.
// Message path and contract: fast/channel.cuh.
//
// Rings are a parameter of the channel, which knows neither where they lie nor who shares them:
//|  using memory                         what the host passes: where they lie
//|  static std::size_t bytes(const server_config&)
//|                                       size of that memory; zero it before a kernel
//|  X(const server_config&, memory)
//|  grid_share share() const             the servers and clients that are blocks of this grid
// For clients:
//|  ring_counts& counts_of(unsigned server) const
//|                                       of the ring to this server
//|  Slot& slot_to(unsigned server, std::uint32_t position) const
//|  void sign_off(unsigned thread, unsigned threads) const
//|                                       counts the block as finished: `threads` threads, whole
//|                                       warps, after all reservations of the block
// For servers:
//|  static unsigned sources(const server_config&)
//|                                       rings to each server
//|  static warp_share share_of_warp(const server_config&, unsigned warp, unsigned warps)
//|                                       which of them the warp reads, and with how many others
//|  class incoming                       one ring to a server, as a warp of the server sees it
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/server/channel.cuh"
#include "finesync/server/server_config.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The counters shared by a server and the clients of a grid.
struct alignas(line_bytes) ring_counts {
  /// Ring positions given to clients (upper half) and known to be free again (lower half). A client
  /// that reserves reads the free space with the same access.
  cell<std::uint64_t> positions;
  cell<std::uint32_t> clients_done;  ///< finished clients
  /// A copy of the lower half for clients that wait for space, whose polls would contend above.
  alignas(line_bytes) cell<std::uint32_t> consumed;

  static constexpr unsigned reserved_shift = 32;

  template <scope Scope>
  __device__ std::uint32_t reserved() {
    return static_cast<std::uint32_t>(
        atomic_ref<std::uint64_t, Scope>(positions).load(memory_order::relaxed) >> reserved_shift);
  }
  /// Frees the next `step` positions for clients.
  template <scope Scope>
  __device__ void give_back(std::uint32_t step) {
    atomic_ref<std::uint64_t, Scope>(positions).fetch_add(step, memory_order::relaxed);
    atomic_ref<std::uint32_t, Scope>(consumed).fetch_add(step, memory_order::relaxed);
  }
};

/// What a server knows of the end of a ring.
struct ring_window {
  std::uint32_t reserved;  ///< requests lie, or will soon, below this position
  bool final;              ///< `reserved` will not grow
};

/// The warps of a server that read a ring together.
struct warp_share {
  unsigned source;  ///< number of the ring
  unsigned warp;    ///< the caller's number among them
  unsigned warps;
};

template <class Slot, scope Scope>
class rings_of_a_grid {
  using word = atomic_ref<std::uint32_t, Scope>;

 public:
  using memory = unsigned char*;

  static std::size_t bytes(const server_config& config) {
    return config.servers * (sizeof(ring_counts) + config.ring * sizeof(Slot));
  }

  rings_of_a_grid(const server_config& config, unsigned char* where)
      : servers_(config.servers),
        clients_(config.clients),
        ring_(config.ring),
        counts_(reinterpret_cast<ring_counts*>(where)),
        slots_(reinterpret_cast<Slot*>(where + config.servers * sizeof(ring_counts))) {}

  __device__ grid_share share() const { return {0, servers_, 0}; }

  __device__ ring_counts& counts_of(unsigned server) const { return counts_[server]; }
  __device__ Slot& slot_to(unsigned server, std::uint32_t position) const {
    return slots_[std::size_t{server} * ring_ + (position & (ring_ - 1))];
  }
  __device__ void sign_off(unsigned thread, unsigned threads) const {
    for (unsigned server = thread; server < servers_; server += threads)
      word(counts_[server].clients_done).fetch_add(1, memory_order::release);
  }

  __host__ __device__ static constexpr unsigned sources(const server_config&) { return 1; }
  __device__ static warp_share share_of_warp(const server_config&, unsigned warp, unsigned warps) {
    return {0, warp, warps};
  }

  class incoming {
   public:
    /// Whether a server learns what is reserved while clients still send: it then polls only below.
    static constexpr bool shows_reserved = true;

    __device__ incoming(const rings_of_a_grid& all, unsigned server, unsigned /*source*/)
        : all_(all), server_(server) {}

    __device__ Slot& at(std::uint32_t position) const { return all_.slot_to(server_, position); }

    /// By one lane. Once all clients have finished, `reserved` is final: a client counts itself as
    /// finished with release.
    __device__ ring_window look(const ring_window& before) const {
      ring_counts& mine = all_.counts_of(server_);
      const std::uint32_t reserved = mine.template reserved<Scope>();
      if (reserved != before.reserved ||
          word(mine.clients_done).load(memory_order::relaxed) != all_.clients_)
        return {reserved, false};
      fence<memory_order::acquire, Scope>();
      return {mine.template reserved<Scope>(), true};
    }

    /// By one lane: frees the next `step` positions for clients.
    __device__ void give_back(std::uint32_t step) const {
      all_.counts_of(server_).template give_back<Scope>(step);
    }

   private:
    const rings_of_a_grid& all_;
    unsigned server_;
  };

 private:
  unsigned servers_;
  unsigned clients_;
  std::uint32_t ring_;
  ring_counts* counts_;
  Slot* slots_;
};

}  // namespace finesync::inline FINESYNC_ABI
