// SPDX-License-Identifier: Apache-2.0
// Servers for sections over two data, which may belong to different servers (ASPLOS'19, section
// 3.3). A client offloads a section to the server of one of its locks. That server requests the
// other lock from its server.
//
//|  client              server of the lower lock              server of the higher lock
//|  ------              ------------------------              -------------------------
//|  send ── offload ──> offload handler
//|                        request the other lock ─ request ─> request handler
//|                                                              acquire the lock
//|                        acquire its own lock <──── reply ──   hold it (and send its datum)
//|                        run the section                         :
//|                        release its own lock                    :
//|                        return the other ──────── unlock ──>  release the lock
//
// Use: pool.launch(service, client, watchdog)  // docs/library/examples/warehouses.cu
// A *service* is a pair_service (server/service.cuh). A *client*, called as in server_pool.cuh,
// sends out.send(first, second, argument) with two different keys.
//
// Each kind of message has its own channel. Offloads go through the client's buffers and the
// server's ring; requests go directly through another ring. A reply or an unlock message goes into
// a slot that the waiting handler thread polls (server/reply.cuh), so it is never buffered with
// others or forwarded. Offloads and requests have separate handler warps.
//
// Participants: all blocks of a cooperative grid: servers first, then clients.
// Scope: device between blocks, block within one.
// Ordering: sections that share a datum run one after the other, and each sees the datum as the
//   previous section left it. With data_placement::messages, only the messages order them; other
//   writes of sections are not ordered. With data_placement::global_memory, replies and unlock
//   messages have fences (message_order::release_acquire), and all writes are ordered. A client's
//   writes to memory before send() are not visible to the section.
// Progress: deadlock-free. Every lock has a global id: (server, local index). The higher id is
//   acquired first, so a holder waits only for lower ids and no cycle can form. Handlers keep
//   stepping all their lanes, so none blocks on ring space with a lock that others need to free it.
//   Not fair: a free lock goes to the first thread that tries.
// Residency: all blocks at once. Every wait is bounded by the watchdog.
// Traffic: per section over two servers, in addition to the offload message: an addition in the L2,
//   four stores of 8 or 16 bytes, and polls. For a section over one server, nothing more.
// Limits: keys below 2^31. The locks, and the data that are sent, must fit into the servers' shared
//   memory.
// Reset: reset() before every launch.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/launch.cuh"
#include "finesync/server/fast/channel.cuh"
#include "finesync/server/lending/handlers.cuh"
#include "finesync/server/lending/offload.cuh"
#include "finesync/server/lending/owned_locks.cuh"
#include "finesync/server/lending/protocol.cuh"
#include "finesync/server/server_config.cuh"
#include "finesync/server/service.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace finesync::inline FINESYNC_ABI {

/// Size of the grid, and the work of its warps.
struct nested_config {
  unsigned servers = 1;         ///< thread blocks that are servers, the first of the grid
  unsigned clients = 1;         ///< thread blocks that send, after the servers
  std::uint32_t keys = 1;       ///< number of data, and of locks
  unsigned offload_warps = 16;  ///< per server: warps that run sections
  unsigned request_warps = 16;  ///< per server: warps that acquire locks for other servers
  unsigned ring = 4096;         ///< capacity of each of a server's rings, in offloads or requests
  unsigned local_buffer = 64;   ///< offloads that a client buffers per server

  unsigned threads_per_block() const { return 32 * (offload_warps + request_warps); }
  server_config offloads() const {
    return {.servers = servers, .clients = clients, .ring = ring, .local_buffer = local_buffer};
  }
  server_config requests() const {
    return {.servers = servers, .clients = servers, .ring = ring, .local_buffer = 32};
  }
};

namespace detail {

/// The kernel's side; trivially copyable.
template <class Protocol, class Service>
struct nested_ref {
  using protocol = Protocol;
  using locks = owned_locks<Protocol, Service>;
  using offload_channel = fast_channel<offload<typename Service::argument>>;
  using request_channel = fast_channel<typename Protocol::lock_request>;

  offload_channel offloads;
  request_channel requests;
  typename Protocol::lock_reply_slots::ref_type replies;
  typename Protocol::unlock_slots::ref_type unlocks;
  nested_config config;
};

/// Layout of a server block's shared memory.
template <class Ref>
struct nested_layout {
  using offload_inbox = typename Ref::offload_channel::inbox;
  using request_inbox = typename Ref::request_channel::inbox;
  using direct_outbox = typename Ref::request_channel::direct_outbox;

  std::size_t requests;  ///< inbox of requests; that of offloads is at the beginning
  std::size_t outbox;
  std::size_t finished;
  std::size_t locks;
  std::size_t end;

  explicit nested_layout(const nested_config& config) {
    const unsigned threads = config.threads_per_block();
    requests = padded(offload_inbox::shared_bytes(config.offloads(), threads));
    outbox = requests + padded(request_inbox::shared_bytes(config.requests(), threads));
    finished = outbox + padded(direct_outbox::shared_bytes(config.requests(), threads));
    locks = finished + padded(sizeof(std::uint32_t));
    end = locks +
          Ref::locks::shared_bytes(Ref::locks::max_of_one_server(config.keys, config.servers));
  }

 private:
  static std::size_t padded(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
};

/// A server block: its first warps handle offloads, the others requests.
template <class Ref, class Service, class Observer>
__device__ void serve_nested(const Ref& all, const nested_layout<Ref>& layout, Service& service,
                             unsigned char* shared, const watchdog_ref& watchdog,
                             const Observer& observer) {
  using protocol = typename Ref::protocol;
  const nested_config& config = all.config;
  const unsigned warp = thread_rank() / 32;
  auto& finished = *reinterpret_cast<cell<std::uint32_t>*>(shared + layout.finished);
  if (is_first_of_block()) finished = 0;
  typename Ref::locks own(config.keys, config.servers, service, shared + layout.locks);
  typename Ref::offload_channel::inbox offloads(all.offloads, block_rank(), shared, watchdog, 0,
                                                config.offload_warps);
  typename Ref::request_channel::inbox requests(all.requests, block_rank(),
                                                shared + layout.requests, watchdog,
                                                config.offload_warps, config.request_warps);
  typename Ref::request_channel::direct_outbox to_others(all.requests, shared + layout.outbox,
                                                         watchdog);
  if (warp < config.offload_warps) {
    const unsigned number = block_rank() * 32 * config.offload_warps + thread_rank();
    offload_handler<protocol, Service, Observer> handler(
        own, to_others,
        typename protocol::lock_reply_slots::ref_type::reply_slot(all.replies, number), all.unlocks,
        service, watchdog, observer);
    offloads.receive(handler);
    handler.finish();
    // The last of these warps announces the end: the block sends no more requests.
    unsigned before = 0;
    __syncwarp();
    if (lane_id() == 0)
      before =
          atomic_ref<std::uint32_t, scope::block>(finished).fetch_add(1, memory_order::acq_rel);
    if (__shfl_sync(0xffffffffu, before, 0) + 1 == config.offload_warps)
      to_others.announce_end(lane_id(), 32);
  } else {
    const unsigned number =
        block_rank() * 32 * config.request_warps + thread_rank() - 32 * config.offload_warps;
    lock_request_handler<protocol, Service, Observer> handler(
        own, all.replies,
        typename protocol::unlock_slots::ref_type::reply_slot(all.unlocks, number), watchdog,
        observer);
    requests.receive(handler);
    handler.finish();
  }
  if constexpr (requires { service.finish(); }) service.finish();
  __syncthreads();
  own.write_back();
}

}  // namespace detail

/// The kernel: blocks below `servers` are servers, the others are clients. Each thread of a server
/// has an observer for each lock that it acquires.
template <class Ref, class Service, class Client, lock_observer Observer = no_observer>
__global__ void __launch_bounds__(1024, 1)
    nested_server_grid(Ref all, detail::nested_layout<Ref> layout, Service service, Client client,
                       watchdog_ref watchdog, Observer observer) {
  assume_one_dimension();
  unsigned char* const shared = shared_bytes();
  if (block_rank() < all.config.servers) {
    detail::serve_nested(all, layout, service, shared, watchdog, observer);
  } else {
    using outbox = typename Ref::offload_channel::outbox;
    outbox out(all.offloads, shared, watchdog);
    detail::nested_outbox<typename Service::argument, outbox> both(out, all.config.servers);
    client(both, (block_rank() - all.config.servers) * block_threads() + thread_rank(),
           all.config.clients * block_threads());
    out.finish();
  }
}

/// Owns the memory of rings and slots and starts the kernel in its own stream. Host side.
/// \tparam Protocol nested_protocol<Service::datum, data_placement>.
template <class Service, class Protocol>
class nested_server_pool {
  static_assert(pair_service<Service>, "not a pair_service: server/service.cuh");

 public:
  using ref = detail::nested_ref<Protocol, Service>;

  /// \throws std::invalid_argument for an impossible configuration, std::bad_alloc when device
  /// memory is used up.
  explicit nested_server_pool(const nested_config& config, const stream& on = {})
      : config_((check(config), config)),
        offloads_(ref::offload_channel::memory_bytes(config.offloads()), on),
        requests_(ref::request_channel::memory_bytes(config.requests()), on),
        replies_(config.servers * 32 * config.offload_warps, on),
        unlocks_(config.servers * 32 * config.request_warps, on) {
    reset();
  }

  /// Call it before every launch.
  void reset() {
    offloads_.fill_bytes(0);
    requests_.fill_bytes(0);
    replies_.reset();
    unlocks_.reset();
  }

  /// Shared memory of a block, which may be a server or a client.
  static std::size_t shared_bytes(const nested_config& config) {
    using outbox = typename ref::offload_channel::outbox;
    return std::max(detail::nested_layout<ref>(config).end,
                    outbox::shared_bytes(config.offloads(), config.threads_per_block()));
  }

  /// Queues the kernel: servers + clients blocks, all of them resident.
  /// \throws launch_error with the number of blocks that fit.
  template <class Client, lock_observer Observer = no_observer>
  void launch(const Service& service, const Client& client, const watchdog_ref& watchdog,
              const Observer& observer = {}) {
    launch_cooperative(
        offloads_.own_stream(), nested_server_grid<ref, Service, Client, Observer>,
        {.blocks = config_.servers + config_.clients,
         .threads_per_block = config_.threads_per_block(),
         .shared_bytes = shared_bytes(config_)},
        ref{typename ref::offload_channel(config_.offloads(), offloads_.raw_pointer()),
            typename ref::request_channel(config_.requests(), requests_.raw_pointer()),
            replies_.ref(), unlocks_.ref(), config_},
        detail::nested_layout<ref>(config_), service, client, watchdog, observer);
  }

  const nested_config& config() const { return config_; }

 private:
  static void check(const nested_config& config) {
    finesync::check(config.offloads());
    finesync::check(config.requests());
    const unsigned warps = config.offload_warps + config.request_warps;
    if (config.offload_warps == 0 || config.request_warps == 0 || warps > 32)
      throw std::invalid_argument("nested servers: at least one warp of each kind, at most 32");
  }

  nested_config config_;
  buffer<unsigned char> offloads_;
  buffer<unsigned char> requests_;
  typename Protocol::lock_reply_slots replies_;
  typename Protocol::unlock_slots unlocks_;
};

}  // namespace finesync::inline FINESYNC_ABI
