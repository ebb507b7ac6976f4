// SPDX-License-Identifier: Apache-2.0
// The rings of servers and clients on several GPUs: for each server one per source, the GPU whose
// clients fill it. Message path and contract: gpus_server_pool.cuh. Interface:
// server/fast/rings_of_a_grid.cuh.
//
//|  GPU of the clients (source)                       GPU of the server
//|  counts of each ring  <──free again, in steps─────  warps of this source
//|  client ──reserves at home, stores requests──────>  ring ──> warps of this source
//|  last client ──where the ring ends───────────────>  end
//
// All that crosses the link is posted: stores of requests and ends, and additions whose results are
// not used. No thread waits for a round trip. Clients reserve and poll on their own GPU, servers
// poll on theirs.
//
// A request shows whether it has arrived (server/fast/wire.cuh), so a server need not know what is
// reserved, which only the source does. It polls all free slots of a ring, until it has its end.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/server/channel.cuh"
#include "finesync/server/fast/rings_of_a_grid.cuh"
#include "finesync/server/partition/fixed_divisor.cuh"
#include "finesync/server/server_config.cuh"
#include "finesync/several_gpus/symmetric_view.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The memory of each GPU: as source the counts of the rings to all servers; as home of its servers
/// the ends of their rings, and the rings. `Slot` and `Scope` are those of the channel.
template <class Slot, scope Scope>
class rings_of_gpus {
  using end_word = atomic_ref<std::uint64_t, Scope>;

 public:
  using memory = symmetric_view;

  /// On each GPU.
  static std::size_t bytes(const server_config& config) {
    const unsigned here = config.servers / config.gpus;
    return rings_begin(config) + std::size_t{here} * config.gpus * config.ring * sizeof(Slot);
  }

  rings_of_gpus(const server_config& config, const symmetric_view& view)
      : view_(view),
        servers_(config.servers),
        clients_here_(config.clients / config.gpus),
        servers_here_(config.servers / config.gpus),
        ring_(config.ring),
        rings_begin_(rings_begin(config)) {}

  __device__ grid_share share() const {
    return {view_.me * servers_here_.divisor(), servers_here_.divisor(), view_.me * clients_here_};
  }

  __device__ ring_counts& counts_of(unsigned server) const { return counts_on(view_.me, server); }
  __device__ Slot& slot_to(unsigned server, std::uint32_t position) const {
    const unsigned gpu = servers_here_.quotient(server);
    return ring_on(gpu, server - gpu * servers_here_.divisor(), view_.me)[position & (ring_ - 1)];
  }

  /// The last block of a GPU tells all servers where its rings end. That all reservations are in
  /// the counts is a matter of this GPU alone.
  __device__ void sign_off(unsigned thread, unsigned /*threads*/) const {
    if (thread >= 32) return;
    bool last = false;
    if (thread == 0) {
      const atomic_ref<std::uint32_t, scope::device> done(counts_of(0).clients_done);
      last = done.fetch_add(1, memory_order::acq_rel) + 1 == clients_here_;
    }
    const lane_group warp = lane_group::whole_warp();
    if (!warp.any(last)) return;
    warp.sync();  // extends the acquire to all lanes
    for (unsigned server = thread; server < servers_; server += 32) {
      const unsigned gpu = servers_here_.quotient(server);
      end_word(end_on(gpu, server - gpu * servers_here_.divisor(), view_.me))
          .store(known | counts_of(server).template reserved<Scope>(), memory_order::relaxed);
    }
  }

  __host__ __device__ static unsigned sources(const server_config& config) { return config.gpus; }
  /// Neighbouring warps read the ring of one source. \param warps at least as many as GPUs.
  __device__ static warp_share share_of_warp(const server_config& config, unsigned warp,
                                             unsigned warps) {
    const unsigned source = ((warp + 1) * config.gpus - 1) / warps;
    const unsigned first = source * warps / config.gpus;
    return {source, warp - first, (source + 1) * warps / config.gpus - first};
  }

  class incoming {
   public:
    static constexpr bool shows_reserved = false;

    __device__ incoming(const rings_of_gpus& all, unsigned server, unsigned source)
        : mask_(all.ring_ - 1),
          slots_(all.ring_on(all.view_.me, own(all, server), source)),
          end_(all.end_on(all.view_.me, own(all, server), source)),
          counts_(all.counts_on(source, server)) {}

    __device__ Slot& at(std::uint32_t position) const { return slots_[position & mask_]; }

    __device__ ring_window look(const ring_window&) const {
      const std::uint64_t end = end_word(end_).load(memory_order::relaxed);
      return {static_cast<std::uint32_t>(end), (end & known) != 0};
    }

    /// Across the link, to the source.
    __device__ void give_back(std::uint32_t step) const { counts_.template give_back<Scope>(step); }

   private:
    __device__ static unsigned own(const rings_of_gpus& all, unsigned server) {
      return server - all.share().first_server;
    }

    std::uint32_t mask_;
    Slot* slots_;
    cell<std::uint64_t>& end_;
    ring_counts& counts_;
  };

 protected:  // for the broken variants of the tests
  static constexpr std::uint64_t known = std::uint64_t{1} << 32;

  // Of a server's rings, by source; a line, as the server polls it.
  struct alignas(line_bytes) ring_ends {
    cell<std::uint64_t> of[symmetric_view::most];  ///< the number of requests, with `known`
  };

  __host__ __device__ static std::size_t ends_begin(unsigned servers) {
    return std::size_t{servers} * sizeof(ring_counts);
  }
  static std::size_t rings_begin(const server_config& config) {
    return ends_begin(config.servers) +
           std::size_t{config.servers / config.gpus} * sizeof(ring_ends);
  }

  template <class Type>
  __device__ Type* piece(unsigned gpu, std::size_t offset) const {
    return reinterpret_cast<Type*>(view_.base[gpu] + offset);
  }
  __device__ ring_counts& counts_on(unsigned gpu, unsigned server) const {
    return piece<ring_counts>(gpu, 0)[server];
  }
  // `own` numbers the servers of that GPU.
  __device__ cell<std::uint64_t>& end_on(unsigned gpu, unsigned own, unsigned source) const {
    return piece<ring_ends>(gpu, ends_begin(servers_))[own].of[source];
  }
  __device__ Slot* ring_on(unsigned gpu, unsigned own, unsigned source) const {
    return piece<Slot>(gpu, rings_begin_) + (std::size_t{own} * view_.n + source) * ring_;
  }

  symmetric_view view_;
  unsigned servers_;
  unsigned clients_here_;
  fixed_divisor servers_here_;
  std::uint32_t ring_;
  std::size_t rings_begin_;
};

}  // namespace finesync::inline FINESYNC_ABI
