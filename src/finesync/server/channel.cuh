// What a message path offers: how requests come from the thread blocks that are clients to those
// that are servers. One is chosen by the first parameter of server_pool (server_grid.cuh); basic/,
// paper/ and fast/ have one each.
//
// A channel is a trivially copyable ref to memory that all blocks of a grid share:
//|  using argument_type                  what travels beside a key (request.cuh)
//|  static constexpr unsigned min_warps  the warps that a block needs, client or server
//|  static constexpr bool keeps_requests whether a handler may leave requests for later
//|  static std::size_t memory_bytes(const server_config&)
//|                                       that memory; all bytes zero is the state before a kernel
//|  X(const server_config&, unsigned char* memory)
//|  const server_config& config() const  on either side
//
// channel::outbox is the client's side, made by all threads of a block together, in shared memory
// that begins on 128 bytes:
//   static std::size_t shared_bytes(const server_config&, unsigned threads_per_block)
//   outbox(const channel&, unsigned char* shared, const watchdog_ref&)
//   bool send(std::uint32_t key, const argument_type&)
//                                        any threads of the block, converged or not, any number of
//|                                       times: the server of the key gets the request once, later
//|  bool finish()                        all threads of the block, after their last send()
//
// channel::inbox is the server's, made by all threads of block `server` together:
//   static std::size_t shared_bytes(const server_config&, unsigned threads_per_block)
//|  inbox(const channel&, unsigned server, unsigned char* shared, const watchdog_ref&)
//|  bool receive(handler)                all threads; returns when every client has finished and
//|                                       every request was handled. It calls, in all lanes of a
//|                                       warp, bool handler(bool& here, std::uint32_t local,
//|                                       const argument_type&): in lanes that are `here` with a
//|                                       request for the server's key number `local`, else with
//|                                       garbage. With keeps_requests the handler may clear `here`,
//|                                       and gets that request again, and is called without any
//|                                       while handler.pending(). A handler that returns false, in
//|                                       all lanes, ends it.
//
// All three return false where the watchdog ended a wait: then the kernel is to be left. A channel
// says for itself what is ordered (whether what a client wrote before send() is visible to the
// section), what can deadlock, what is fair, and what it costs. It waits for nothing that a blocked
// sender must do first: any ring of 32 requests or more, and any number of blocks, must come to an
// end. Its scope is a parameter: device unless said otherwise, which is enough, as
// server_pool launches all blocks as one cooperative grid; system for blocks of several devices.
#pragma once

#include "finesync/device/platform.cuh"
#include "finesync/server/server_config.cuh"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace finesync {
inline namespace FINESYNC_ABI {

namespace detail {

/// The least that an inbox may ask of what it hands requests to.
template <class Argument>
struct any_handler {
  __device__ bool operator()(bool& here, std::uint32_t local, const Argument& argument);
  __device__ bool pending() const;
};

template <class Channel>
concept has_outbox = requires(typename Channel::outbox out, std::uint32_t key,
                              const typename Channel::argument_type argument,
                              const server_config config) {
  { Channel::outbox::shared_bytes(config, 32u) } -> std::same_as<std::size_t>;
  { out.send(key, argument) } -> std::same_as<bool>;
  { out.finish() } -> std::same_as<bool>;
};

template <class Channel>
concept has_inbox = requires(typename Channel::inbox in, const server_config config,
                             any_handler<typename Channel::argument_type> handler) {
  { Channel::inbox::shared_bytes(config, 32u) } -> std::same_as<std::size_t>;
  { in.receive(handler) } -> std::same_as<bool>;
};

}  // namespace detail

/// Checks the above, as far as types say it.
template <class Channel>
concept channel = std::is_trivially_copyable_v<Channel> &&
    std::constructible_from<Channel, const server_config&, unsigned char*> &&
    requires(const Channel ref, const server_config config) {
  { Channel::min_warps } -> std::convertible_to<unsigned>;
  { Channel::keeps_requests } -> std::convertible_to<bool>;
  { Channel::memory_bytes(config) } -> std::same_as<std::size_t>;
  { ref.config() } -> std::same_as<const server_config&>;
} && detail::has_outbox<Channel> && detail::has_inbox<Channel>;

}  // namespace FINESYNC_ABI
}  // namespace finesync
