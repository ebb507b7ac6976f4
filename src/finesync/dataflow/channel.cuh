// SPDX-License-Identifier: Apache-2.0
// Channels pass values from one thread of a block to others in shared memory. They are the arcs of
// a dataflow graph with threads as its nodes (ICS'15). docs/library/dataflow.md says which one to
// use.
//
// A channel array has one channel per producing thread:
//|  bytes(threads)          shared memory in bytes for that many producers; its constructor takes
//|                          the memory and `threads`, at most `max_threads`
//|  channel_of(producer)    the channel of that thread; the caller keeps one object per end
//|                          while in use
//|  by_warps                whether 32 adjacent threads give together and 32 take together, lane by
//|                          lane: then all lanes of a warp call each member together, and blocks
//|                          consist of whole warps
//
// A channel holds a 32-bit token or is empty. Its ends have
//|  open()                  by the producer: empties it, for all after the next __syncthreads()
//|  close()                 by the producer, after the last use and a __syncthreads(), before
//|                          the memory is used for anything else
//|  give(token)             by the producer, on a channel that it knows to be empty: after open(),
//|                          or if is_empty() returned true
//|  is_empty()              whether the consumer has taken the previous token
//|  try_take(token)         by the only consumer: the token, if there is one, leaves the channel
//|  try_read(token)         by any number of consumers if the array has `many_readers`, else one;
//|                          the token stays, so there is one token per open()
// Channels that wait in hardware have take(token, watchdog), read(token, watchdog) and
// wait_until_empty(watchdog) instead of the last three.
//
// Use: channel.give(token) in the producer; take(channel, token, watchdog) in the consumer.
// Taking is section 6's private channel: one channel per consumer. Reading is the shared channel,
// which needs a third of the memory if a producer has three consumers.
//
// All channels order the token. With `orders_memory`, a consumer also sees all that its producer
// did before give().
#pragma once

#include "finesync/device/watchdog.cuh"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace finesync::inline FINESYNC_ABI {

/// What happens to a token that a consumer receives.
enum class token_use { peek, consume };

/// How often a channel is used.
enum class channel_use {
  once,      ///< one token until it is opened again
  repeated,  ///< another give() after the consumer took the last token: costs a second barrier
};

namespace detail {

template <class Channel>
concept waits_in_hardware = requires(Channel channel, std::uint32_t value, watchdog_ref watchdog) {
  channel.read(value, watchdog);
};

template <token_use Then, class Channel>
__device__ __forceinline__ bool try_get(Channel& channel, std::uint32_t& value) {
  if constexpr (waits_in_hardware<Channel>) {
    return true;
  } else if constexpr (Then == token_use::consume) {
    return channel.try_take(value);
  } else {
    return channel.try_read(value);
  }
}

/// For channels that wait in hardware; all others are polled later.
template <token_use Then, class Channel>
__device__ __forceinline__ bool get_waiting(Channel& channel, std::uint32_t& value,
                                            const watchdog_ref& watchdog) {
  if constexpr (!waits_in_hardware<Channel>) {
    return true;
  } else if constexpr (Then == token_use::consume) {
    return channel.take(value, watchdog);
  } else {
    return channel.read(value, watchdog);
  }
}

}  // namespace detail

/// Many to one: waits for a token from each channel, then runs actor(tokens...), which gives its
/// results to other channels. \returns false, without running the actor, if the watchdog ended the
/// wait: leave the kernel.
///
/// The actor runs inside the loop that waits (ICS'15, Listings 7 and 15). A lane may thus wait for
/// another lane of its warp even if both share one program counter.
template <token_use Then = token_use::peek, class Actor, class... Channels>
__device__ __forceinline__ bool fire(const watchdog_ref& watchdog, Actor&& actor,
                                     Channels&... from) {
  std::uint32_t tokens[sizeof...(Channels)] = {};
  bool got[sizeof...(Channels)] = {};
  const auto call = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    actor(tokens[Index]...);
  };
  const auto poll = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    ((got[Index] = got[Index] || detail::try_get<Then>(from, tokens[Index])), ...);
    return (got[Index] && ...);
  };
  const auto wait_for = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    return (detail::get_waiting<Then>(from, tokens[Index], watchdog) && ...);
  };
  constexpr auto all = std::index_sequence_for<Channels...>();
  if (!wait_for(all)) return false;
  bounded_wait wait(watchdog, awaited::token);
  do {
    if (poll(all)) {
      call(all);
      return true;
    }
  } while (!wait.timed_out());
  return false;
}

/// Waits for a token and removes it. \returns false if the watchdog ended the wait.
template <class Channel>
__device__ __forceinline__ bool take(Channel& from, std::uint32_t& value,
                                     const watchdog_ref& watchdog) {
  return fire<token_use::consume>(
      watchdog, [&](std::uint32_t found) { value = found; }, from);
}

/// Waits for a token and leaves it in place. \returns false if the watchdog ended the wait.
template <class Channel>
__device__ __forceinline__ bool read(Channel& from, std::uint32_t& value,
                                     const watchdog_ref& watchdog) {
  return fire<token_use::peek>(
      watchdog, [&](std::uint32_t found) { value = found; }, from);
}

/// Waits until the consumer has taken the previous token, then gives another.
/// \returns false if the watchdog ended the wait.
template <class Channel>
__device__ __forceinline__ bool put(Channel& to, std::uint32_t value,
                                    const watchdog_ref& watchdog) {
  if constexpr (detail::waits_in_hardware<Channel>) {
    if (!to.wait_until_empty(watchdog)) return false;
  } else {
    bounded_wait wait(watchdog, awaited::empty_channel);
    while (!to.is_empty())
      if (wait.timed_out()) return false;
  }
  to.give(value);
  return true;
}

}  // namespace finesync::inline FINESYNC_ABI
