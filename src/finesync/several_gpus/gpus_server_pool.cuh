// SPDX-License-Identifier: Apache-2.0
// Synchronization servers on several GPUs: each GPU has servers and clients, clients send to the
// servers of all. The fast message path (server/fast/channel.cuh) with a ring per server and source
// GPU (rings_of_gpus.cuh).
//
// Use: pool.launch(threads_per_block, service_of, client, watchdog)
// Services, clients, executions and partitions are those of server_pool (server/server_pool.cuh).
// The partition deals the keys to all servers of all GPUs. A section accesses data of its key,
// which only its server does, with plain accesses: on the server's GPU, best of all.
//
// Participants: whole warps of a cooperative grid on each GPU (launch_together()), the same number
//   of servers and of clients on each. A block has a warp for each GPU or more: the warps of a
//   server are divided among its rings.
// Scope: system for all that crosses; device where a GPU's clients count themselves; block within a
//   server, and within a client.
// Ordering: none between a client and the section: a request is complete in itself, in one or more
//   relaxed accesses of system scope, each with the parity of its lap.
//   message_order::release_acquire makes what the client wrote before visible, by a fence of system
//   scope on either side. Words that two GPUs access are atomic at system scope: slots, counts,
//   ends. A server gives a slot back after it has used what it read there, and a client stores
//   there only if it has read that.
// Progress: as of the fast path: no size of rings or buffers and no number of blocks deadlocks.
// Every
//   wait is bounded, by the watchdog of its GPU.
// Residency: all blocks of all GPUs.
// Limits: those of the fast path; at most symmetric_view::most GPUs. balanced_partition has 256
//   servers, of all GPUs together.
// Fairness: a ring is served in order of reservation; the rings of a server by warps of their own,
//   so no GPU holds up another's requests while there is space.
// Traffic: across the link, per request one or two posted stores, in runs of half a local buffer;
// per
//   eighth of a ring two posted additions; per ring one posted store at the end. On the source GPU
//   per half buffer one addition.
// Reset: reset(), before every launch.
#pragma once

#include "finesync/host/launch.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/locks/exclusive.cuh"
#include "finesync/server/fast/channel.cuh"
#include "finesync/server/partition.cuh"
#include "finesync/server/partition/modulo.cuh"
#include "finesync/server/server_config.cuh"
#include "finesync/server/server_pool.cuh"
#include "finesync/several_gpus/gpus_watchdog.cuh"
#include "finesync/several_gpus/rings_of_gpus.cuh"
#include "finesync/several_gpus/symmetric_memory.cuh"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>

namespace finesync::inline FINESYNC_ABI {

/// The fast message path between the clients and servers of several GPUs.
template <class Argument, message_order Order = message_order::relaxed>
using gpus_fast_channel = fast_channel<Argument, wire_slot, Order, scope::system, rings_of_gpus>;

/// Owns the memory of all rings and starts a grid on each GPU. Host side. Movable, not copyable; it
/// does not outlive its peers.
template <message_path Channel, class Execution, partition Partition = modulo_partition>
class gpus_server_pool {
 public:
  /// \param config with the servers, clients and number of all GPUs together.
  /// \throws std::invalid_argument for an impossible configuration, std::bad_alloc when device
  /// memory is used up.
  gpus_server_pool(const peers& all, const server_config& config)
      : all_(&all), config_(checked(all, config)), memory_(all, words(config)) {}

  /// Empties all rings. Call it before every launch. Waits for all peers.
  void reset() { memory_.reset(); }

  /// Shared memory of a block, which may be a server or a client.
  template <class Service>
  static std::size_t shared_bytes(const server_config& config, unsigned threads_per_block) {
    return detail::server_grid_memory<Channel, Execution, Service, Partition>::bytes(
        config, threads_per_block);
  }

  /// Queues a grid on each GPU of this process, all of it resident.
  /// \param service_of called with the number of each: the service of that GPU's servers.
  /// \param client of all GPUs: its threads are numbered through.
  /// \throws launch_error with the number of blocks that fit, or of warps that a block needs.
  template <class ServiceOf, class Client>
  void launch(unsigned threads_per_block, const ServiceOf& service_of, const Client& client,
              const gpus_watchdog& watchdog) {
    using service = decltype(service_of(0u));
    launch_together(*all_, server_grid<Channel, Execution, Partition, service, Client, no_observer>,
                    shape<service>(threads_per_block), [&](unsigned me) {
                      return arguments(me, service_of(me), client, watchdog.ref(me));
                    });
  }

  /// What launch() starts on each GPU, for a caller that starts the grids of several pools at once.
  /// \throws launch_error with the number of warps that a block needs.
  template <class Service>
  launch_shape shape(unsigned threads_per_block) const {
    if (threads_per_block % 32 != 0 || threads_per_block / 32 < config_.gpus) {
      throw launch_error("blocks of " + std::to_string(threads_per_block) +
                         " threads cannot be servers of " + std::to_string(config_.gpus) +
                         " GPUs: they need whole warps, one for each or more");
    }
    return {.blocks = (config_.servers + config_.clients) / config_.gpus,
            .threads_per_block = threads_per_block,
            .shared_bytes = shared_bytes<Service>(config_, threads_per_block)};
  }
  /// The kernel's, on a GPU of this process.
  template <class Service, class Client>
  auto arguments(unsigned me, const Service& service, const Client& client,
                 const watchdog_ref& watchdog) const {
    return std::tuple(Channel(config_, memory_.view(me)), partition_of(me), service, client,
                      watchdog, no_observer{});
  }

  const server_config& config() const { return config_; }

 private:
  static const server_config& checked(const peers& all, const server_config& config) {
    check(config);
    if (config.gpus != all.size())
      throw std::invalid_argument("GPUs " + std::to_string(config.gpus) + ": there are " +
                                  std::to_string(all.size()) + " peers");
    return config;
  }

  // The rings, then the partition.
  static std::size_t partition_begin(const server_config& config) {
    return (Channel::memory_bytes(config) + line_bytes - 1) / line_bytes * line_bytes;
  }
  static std::size_t words(const server_config& config) {
    return (partition_begin(config) + Partition::memory_bytes(config) + 3) / 4;
  }
  /// Each GPU's is in its own memory.
  Partition partition_of(unsigned me) const {
    std::byte* const piece = memory_.view(me).base[me];
    return Partition(config_, reinterpret_cast<unsigned char*>(piece) + partition_begin(config_));
  }

  const peers* all_;
  server_config config_;
  symmetric_memory memory_;
};

}  // namespace finesync::inline FINESYNC_ABI
