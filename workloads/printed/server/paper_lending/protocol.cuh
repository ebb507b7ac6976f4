// SPDX-License-Identifier: Apache-2.0
// Sizes, messages and locks of servers for sections over two data on the paper's message path
// (ASPLOS'19, section 3.3). Protocol and contract: paper_lending/paper_nested_server_pool.cuh.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/platform.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/server/lending/offload.cuh>
#include <finesync/server/lending/protocol.cuh>
#include <finesync/server/partition/modulo.cuh>
#include <finesync/server/server_config.cuh>
#include <workloads/printed/server/paper/stepping_outbox.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Size of the grid and of its buffers, by default as in ASPLOS'19. With one server no lock is
/// lent.
struct paper_nested_config {
  unsigned servers = 2;  ///< thread blocks that are servers, the first of the grid
  unsigned clients = 1;  ///< thread blocks that send, after the servers
  unsigned threads_per_block = 1024;
  unsigned ring = 4096;        ///< messages per ring; a server has one of each kind
  unsigned locks = 4096;       ///< locks of a server
  unsigned local_buffer = 64;  ///< offloads or requests that a block gathers per server

  server_config offloads() const {
    return {.servers = servers,
            .clients = clients,
            .ring = ring,
            .locks = locks,
            .local_buffer = local_buffer};
  }
  /// Requests, replies and unlock messages.
  server_config between_servers() const {
    server_config config = offloads();
    config.clients = servers;
    return config;
  }
};

/// A request message: asks for a lock, whose number is the key, for a lane of a server.
struct lent_lock_request {
  static constexpr unsigned slot_bits = 10;  ///< threads of a block
  std::uint32_t back;

  __device__ static lent_lock_request of(unsigned server, unsigned slot) {
    return {server << slot_bits | slot};
  }
  __device__ unsigned server() const { return back >> slot_bits; }
  __device__ unsigned slot() const { return back & ((1u << slot_bits) - 1); }
};

/// A reply has the lane's slot as its key, an unlock message the lock's number; both have nothing
/// else.
struct no_argument {};

/// Attempts, releases and sending, which broken variants in the tests may hide.
/// \tparam Lock any one-word lock with a try operation, at block scope (try_lock_base.cuh).
template <class Datum, class Lock = tas_lock<scope::block>>
struct paper_nested_protocol : nested_protocol<Datum, data_placement::global_memory, Lock> {
  using order = detail::global_id_order;
  using request_outbox = paper_stepping_outbox<lent_lock_request, scope::device>;
};

namespace detail {

/// The locks of a server in its block's shared memory: a fixed number, so several keys may share
/// one.
template <class Lock>
class aliased_locks {
 public:
  __host__ __device__ static std::size_t shared_bytes(const server_config& config) {
    return config.locks * sizeof(typename Lock::state);
  }

  /// All threads of the block construct it together; a barrier must follow.
  __device__ aliased_locks(const server_config& config, unsigned char* shared)
      : partition_(config),
        mask_(config.locks - 1),
        locks_(reinterpret_cast<typename Lock::state*>(shared)) {
    auto* const words = reinterpret_cast<cell<std::uint32_t>*>(shared);
    for (unsigned i = thread_rank(); i < shared_bytes(config) / sizeof *words; i += block_threads())
      words[i] = 0;  // free
  }

  __device__ destination destination_of(std::uint32_t key) const {
    return partition_.destination_of(key);
  }
  __device__ std::uint32_t key_of(std::uint32_t local) const {
    return partition_.key_of(block_rank(), local);
  }
  /// The number of a key's lock on its server.
  __device__ std::uint32_t number_of(std::uint32_t local) const { return local & mask_; }
  __device__ Lock operator[](std::uint32_t number) const { return Lock(locks_[number]); }

 private:
  modulo_partition partition_;
  std::uint32_t mask_;
  typename Lock::state* locks_;
};

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
