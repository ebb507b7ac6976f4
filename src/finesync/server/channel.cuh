// SPDX-License-Identifier: Apache-2.0
// The interface of a message path: how requests get from client blocks to server blocks. It is the
// first parameter of server_pool (server_pool.cuh); basic/, paper/ and fast/ have one each.
//
// A channel is a trivially copyable ref to memory that all blocks share:
//|  using argument_type                  what travels with a key (request.cuh)
//|  static constexpr unsigned min_warps  minimum warps per block, client or server
//|  static constexpr bool keeps_requests whether a handler may leave requests for later
//|  const server_config& config() const  on either side
//|  grid_share share() const             optional: the servers and clients that are blocks of this
//|                                       grid; otherwise all are
// One for the blocks of a grid has in addition:
//|  static std::size_t memory_bytes(const server_config&)
//|                                       size of that memory; zero it before a kernel
//|  X(const server_config&, unsigned char* memory)
//
// channel::outbox is the client's side. All threads of a block construct it together, in shared
// memory aligned to 128 bytes:
//|  static std::size_t shared_bytes(const server_config&, unsigned threads_per_block)
//|  outbox(const channel&, unsigned char* shared, const watchdog_ref&)
//|  bool send(const destination&, const argument_type&)
//|                                       any threads of the block, converged or not, any number of
//|                                       times: the server gets the request once, later
//|  bool finish()                        all threads of the block, after their last send()
//
// channel::inbox is the server's side. All threads of block `server` construct it together:
//|  static std::size_t shared_bytes(const server_config&, unsigned threads_per_block)
//|  inbox(const channel&, unsigned server, unsigned char* shared, const watchdog_ref&)
//|  bool receive(handler)                all threads; returns when every client has finished and
//|                                       every request was handled. It calls, in all lanes of a
//|                                       warp, bool handler(bool& here, std::uint32_t local,
//|                                       const argument_type&): in lanes that are `here` with a
//|                                       request for the server's key number `local`; in others
//|                                       the arguments are undefined. With keeps_requests the
//|                                       handler may clear `here` to get that request again, and
//|                                       is called without requests while handler.pending(). A
//|                                       handler that returns false, in all lanes, ends it.
//
// Each of the three returns false when the watchdog ended a wait: leave the kernel. Each channel
// documents its ordering (whether what a client wrote before send() is visible to the section),
// progress, fairness and traffic. A channel waits for nothing that a blocked sender must do first:
// it terminates for any ring of 32 requests or more and any number of blocks. Its scope is a
// parameter. Device, the default, is enough, as server_pool launches all blocks as one cooperative
// grid; system is for blocks of several devices (several_gpus/gpus_server_pool.cuh).
#pragma once

#include "finesync/device/platform.cuh"
#include "finesync/server/request.cuh"
#include "finesync/server/server_config.cuh"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// The servers and clients that are blocks of the caller's grid, the servers first.
struct grid_share {
  unsigned first_server;
  unsigned servers;
  unsigned first_client;
};

template <class Channel>
__device__ grid_share share_of(const Channel& channel) {
  if constexpr (requires { channel.share(); })
    return channel.share();
  else
    return {0, channel.config().servers, 0};
}

namespace detail {

/// The least that an inbox may require of its handler.
template <class Argument>
struct any_handler {
  __device__ bool operator()(bool& here, std::uint32_t local, const Argument& argument);
  __device__ bool pending() const;
};

template <class Channel>
concept has_outbox = requires(typename Channel::outbox out, const destination to,
                              const typename Channel::argument_type argument,
                              const server_config config) {
  { Channel::outbox::shared_bytes(config, 32u) } -> std::same_as<std::size_t>;
  { out.send(to, argument) } -> std::same_as<bool>;
  { out.finish() } -> std::same_as<bool>;
};

template <class Channel>
concept has_inbox = requires(typename Channel::inbox in, const server_config config,
                             any_handler<typename Channel::argument_type> handler) {
  { Channel::inbox::shared_bytes(config, 32u) } -> std::same_as<std::size_t>;
  { in.receive(handler) } -> std::same_as<bool>;
};

}  // namespace detail

/// Checks the interface above, except for behaviour.
template <class Channel>
concept message_path = std::is_trivially_copyable_v<Channel> && requires(const Channel ref) {
  { Channel::min_warps } -> std::convertible_to<unsigned>;
  { Channel::keeps_requests } -> std::convertible_to<bool>;
  { ref.config() } -> std::same_as<const server_config&>;
} && detail::has_outbox<Channel> && detail::has_inbox<Channel>;

/// The same, for the blocks of a grid.
template <class Channel>
concept channel = message_path<Channel> &&
    std::constructible_from<Channel, const server_config&, unsigned char*> &&
    requires(const server_config config) {
  { Channel::memory_bytes(config) } -> std::same_as<std::size_t>;
};

}  // namespace finesync::inline FINESYNC_ABI
