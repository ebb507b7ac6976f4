// SPDX-License-Identifier: Apache-2.0
// Servers for sections over two data as printed: ASPLOS'19, section 3.3, on the message path of
// section 3.2. lending/nested_server_pool.cuh has the same protocol on a quicker path.
//
//|  client            server of the lower lock              server of the higher lock
//|  ------            ------------------------              -------------------------
//|  send ── offload ──> leader ─> follower
//|                                  request the lock ─ request ─> leader ─> follower
//|                                                                            acquire the lock
//|                      reply handler warp <────────── reply ───────────────  reply
//|                        set the reply bit
//|                      follower
//|                        acquire its own lock
//|                        run the section
//|                        release its own lock
//|                        return the other ─────────── unlock ──> unlock handler warp
//|                                                                  release the lock
//
// Use: pool.launch(service, client, watchdog)
// A *service* is a pair_service or an in_place_service (server/service.cuh). A *client*, called as
// in server_pool.cuh, sends out.send(first, second, argument) with two different keys.
//
// As printed: each kind of message has rings of its own. Offloads and requests travel as in
// server_pool<paper_channel>: local buffers, round robin, a lazy copy of read_idx; leader warp,
// assignment buffers, reset counters. Replies and unlock messages are never gathered: one addition
// to write_idx, one fence and one bit each (send_alone()). A reply handler warp and an unlock
// handler warp read them and act at once (paper/handler_warp.cuh). Data stay in global memory. A
// server has `locks` locks in its shared memory, which keys share (key number modulo locks).
//
// Where the paper is silent or leaves a choice:
// - The first lock of a section is the one with the lower global id (server, number of the lock).
//   Clients sort by it: neither the key nor the lock's number alone would do.
// - Both locks at one server: it acquires the higher, then the lower, without messages; or the one
//   lock that both keys share, once.
// - Offloads and requests have a leader warp each, and share the followers. A lane of a follower
//   has an offload and a request at a time, and makes one step of each in turn. So neither a lock
//   that is away nor a full ring holds up a request.
// - A follower is idle once it has read what was assigned to it; its lanes read as they finish.
// - A follower does not wait for space in a ring of requests (paper/stepping_outbox.cuh). The ring
//   may be full of requests for a lock that another lane of its warp has borrowed.
//
// Participants: all blocks of a cooperative grid: servers first, then clients; blocks of 5 warps or
//   more.
// Scope: device between blocks, block within one.
// Ordering: sections that share a datum run one after the other, and each sees what the previous
//   ones wrote. What a client did before send() happens before the section. The locks order at
//   block scope, as printed (a block fence in Listing 2); the previous holder may be in another
//   block, and is ordered by the fences of the messages, which are cumulative:
//     its writes; release fence; bit of the unlock message; bit seen; acquire fence; lock released;
//     lock acquired; release fence; bit of the reply; bit seen; acquire fence; reply bit
//   Printed are the release fences. After each poll that finds messages stands an acquire fence,
//   one for all of them: without it the next section could read what was there before. Senders have
//   one after a look at read_idx that shows space, before they write a slot again
//   (masked_rings.cuh). No other fence is added.
// Progress: deadlock-free, whatever the sizes of rings, buffers and blocks. Handler warps wait for
//   nothing, so replies and unlock messages always have space and are handled. A lane that has its
//   first lock waits only for one of its own server, with a lower id. Its holder has all its locks,
//   or waits for a lower one: no cycle can form, and no holder needs a request to be handled. So
//   each lock becomes free, each request gets it, and rings and lanes become free for the next.
//   Not fair: a free lock goes to the first lane that tries.
// Residency: all blocks at once. Every wait is bounded by the watchdog.
// Traffic: per section over two servers four messages: offload, request, reply, unlock; over one
//   server the offload alone. A reply or unlock message costs two atomics, a fence and a look at
//   read_idx. Locks are tried in shared memory alone.
// Limits: keys below 2^31.
// Reset: reset() before every launch.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/server/server_config.cuh>
#include <finesync/server/service.cuh>
#include <workloads/printed/server/paper/channel.cuh>
#include <workloads/printed/server/paper_lending/protocol.cuh>
#include <workloads/printed/server/paper_lending/server_block.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

/// The kernel's side; trivially copyable.
template <class Protocol, class Service>
struct paper_nested_ref {
  using protocol = Protocol;
  using service = Service;
  using locks = aliased_locks<typename Protocol::lock>;
  using request_outbox = typename Protocol::request_outbox;
  using offload_channel = paper_channel<offload<typename Service::argument>>;
  using request_channel = paper_channel<lent_lock_request>;
  using handled = masked_rings<no_argument>;

  offload_channel offloads;
  request_channel requests;
  handled replies;
  handled unlocks;
};

}  // namespace detail

/// The kernel: blocks below `servers` are servers, the others are clients. Each thread of a server
/// has an observer for each lock that it acquires or releases.
template <class Ref, class Client, lock_observer Observer = no_observer>
__global__ void __launch_bounds__(1024, 1)
    paper_nested_server_grid(Ref all, detail::paper_nested_layout<Ref> layout,
                             typename Ref::service service, Client client, watchdog_ref watchdog,
                             Observer observer) {
  assume_one_dimension();
  unsigned char* const shared = shared_bytes();
  const server_config& config = all.offloads.config();
  if (block_rank() < config.servers) {
    detail::paper_nested_server<Ref, Observer> server(all, layout, shared, watchdog);
    server.serve(service, observer);
    if constexpr (requires { service.finish(); }) service.finish();
  } else {
    using outbox = typename Ref::offload_channel::outbox;
    outbox out(all.offloads, shared, watchdog);
    detail::nested_outbox<typename Ref::service::argument, outbox, typename Ref::protocol::order>
        both(out, config.servers);
    client(both, (block_rank() - config.servers) * block_threads() + thread_rank(),
           config.clients * block_threads());
    out.finish();
  }
}

/// Numbers of messages. Each request is replied to, so the replies are the locks that were lent.
struct nested_message_counts {
  std::uint64_t offloads, requests, replies, unlocks;
};

/// Owns the memory of the rings and starts the kernel in its own stream. Host side.
/// \tparam Protocol paper_nested_protocol<Service::datum>.
template <class Service, class Protocol = paper_nested_protocol<typename Service::datum>>
class paper_nested_server_pool {
  static_assert(pair_service<Service> || in_place_service<Service>,
                "neither a pair_service nor an in_place_service: server/service.cuh");

 public:
  using ref = detail::paper_nested_ref<Protocol, Service>;
  static constexpr unsigned min_warps = detail::server_warps::first_follower + 1;  ///< of a block

  /// \throws std::invalid_argument for an impossible configuration, std::bad_alloc when device
  /// memory is used up.
  explicit paper_nested_server_pool(const paper_nested_config& config, const stream& on = {})
      : config_((check(config), config)),
        offloads_(ref::offload_channel::memory_bytes(config.offloads()), on),
        requests_(ref::request_channel::memory_bytes(config.between_servers()), on),
        replies_(ref::handled::memory_bytes(config.between_servers()), on),
        unlocks_(ref::handled::memory_bytes(config.between_servers()), on) {
    reset();
  }

  /// Call it before every launch.
  void reset() {
    for (buffer<unsigned char>* rings : {&offloads_, &requests_, &replies_, &unlocks_})
      rings->fill_bytes(0);
  }

  /// Queues the kernel: servers + clients blocks, all of them resident.
  /// \throws launch_error with the number of blocks that fit.
  template <class Client, lock_observer Observer = no_observer>
  void launch(const Service& service, const Client& client, const watchdog_ref& watchdog,
              const Observer& observer = {}) {
    const server_config between = config_.between_servers();
    using handled = typename ref::handled;
    launch_cooperative(
        offloads_.own_stream(), paper_nested_server_grid<ref, Client, Observer>,
        {.blocks = config_.servers + config_.clients,
         .threads_per_block = config_.threads_per_block,
         .shared_bytes = shared_bytes(config_)},
        ref{typename ref::offload_channel(config_.offloads(), offloads_.raw_pointer()),
            typename ref::request_channel(between, requests_.raw_pointer()),
            handled(between, replies_.raw_pointer()), handled(between, unlocks_.raw_pointer())},
        detail::paper_nested_layout<ref>(config_), service, client, watchdog, observer);
  }

  /// Number of such blocks that the GPU holds.
  template <class Client, lock_observer Observer = no_observer>
  static unsigned max_resident(const paper_nested_config& config) {
    return max_resident_blocks(paper_nested_server_grid<ref, Client, Observer>,
                               config.threads_per_block, shared_bytes(config));
  }

  const paper_nested_config& config() const { return config_; }

  /// The messages of the last launch, which has ended.
  nested_message_counts sent() const {
    const server_config between = config_.between_servers();
    return {ref::offload_channel::sent(config_.offloads(), offloads_.to_host()),
            ref::request_channel::sent(between, requests_.to_host()),
            ref::handled::sent(between, replies_.to_host()),
            ref::handled::sent(between, unlocks_.to_host())};
  }

 private:
  static std::size_t shared_bytes(const paper_nested_config& config) {
    using outbox = typename ref::offload_channel::outbox;
    return std::max(detail::paper_nested_layout<ref>(config).end,
                    outbox::shared_bytes(config.offloads(), config.threads_per_block));
  }

  static void check(const paper_nested_config& config) {
    finesync::check(config.offloads());
    const unsigned threads = config.threads_per_block;
    if (threads % 32 != 0 || threads / 32 < min_warps || threads > 1024) {
      throw std::invalid_argument("blocks of " + std::to_string(threads) +
                                  " threads cannot be nested servers: they need " +
                                  std::to_string(min_warps) + " to 32 whole warps");
    }
  }

  paper_nested_config config_;
  buffer<unsigned char> offloads_;
  buffer<unsigned char> requests_;
  buffer<unsigned char> replies_;
  buffer<unsigned char> unlocks_;
};

}  // namespace finesync::inline FINESYNC_ABI
