// Channels hand values from one thread of a block to others, in shared memory: the arcs of a
// dataflow graph, whose nodes are threads (ICS'15). docs/dataflow.md says which one to use.
//
// An array of channels has one for each producing thread, and is a class with
//|  bytes(threads)          of shared memory for that many producers; threads and memory are what
//|                          its constructor takes, and `most_threads` is the most that there may be
//|  of(producer)            the channel of that thread: one of its two ends, which the caller keeps
//|                          while in use
//|  by_warps                whether 32 neighbours give together and 32 take together, lane by lane:
//|                          then all lanes of a warp call each member together, and blocks have
//|                          whole warps
//
// A channel holds a token, of 32 bits, or is empty. Its ends have
//|  open()                  by the producer: it is empty, for all behind the next __syncthreads()
//|  close()                 by the producer, behind a __syncthreads() after the last use, before
//|                          the memory is used for anything else
//|  give(token)             by the producer, of a channel that it knows to be empty: behind open(),
//|                          or as is_empty() says
//|  is_empty()              whether the consumer has taken the token that was given before
//|  try_take(token)         by the only consumer: the token, if there is one, leaves the channel
//|  try_read(token)         by any number of consumers, of an array with `many_readers`, else by one;
//|                          the token stays, so there is one for each open()
// Those that wait in hardware have take(token, watchdog), read(token, watchdog) and
// wait_until_empty(watchdog) instead of the last three.
//
// Taking is section 6's private channel: one for each consumer. Reading is the shared one: a third
// of the memory where a producer has three consumers.
//
// All of them order the token. What else a consumer finds of what its producer did before give():
// with `orders_memory` all of it.
#pragma once

#include "finesync/device/watchdog.cuh"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace finesync {
inline namespace FINESYNC_ABI {

/// What becomes of a token that somebody got.
enum class token_use { peek, consume };

/// What the ends of a channel may be used for.
enum class channel_use {
  once,      ///< until it is opened again
  repeated,  ///< give() again when the consumer has taken the last one: costs a second barrier
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

/// For those that wait in hardware; all others are polled later.
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

/// Many to one: waits for a token from each of the channels, and runs actor(tokens...), which gives
/// what it makes of them to others. \returns false, without having run it, when the watchdog ended
/// the wait: leave the kernel.
///
/// The actor stands inside the loop that waits (ICS'15, Listings 7 and 15), so that a lane may wait
/// for another of its warp also where both have one program counter.
template <token_use Then = token_use::peek, class Actor, class... Channels>
__device__ __forceinline__ bool fire(const watchdog_ref& watchdog, Actor&& actor,
                                     Channels&... from) {
  std::uint32_t tokens[sizeof...(Channels)] = {};
  bool got[sizeof...(Channels)] = {};
  const auto call = [&]<std::size_t... I>(std::index_sequence<I...>) {
    actor(tokens[I]...);
  };
  const auto poll = [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((got[I] = got[I] || detail::try_get<Then>(from, tokens[I])), ...);
    return (got[I] && ...);
  };
  const auto wait_for = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (detail::get_waiting<Then>(from, tokens[I], watchdog) && ...);
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

/// Waits for a token, which leaves the channel. \returns false when the watchdog ended the wait.
template <class Channel>
__device__ __forceinline__ bool take(Channel& from, std::uint32_t& value,
                                     const watchdog_ref& watchdog) {
  return fire<token_use::consume>(
      watchdog, [&](std::uint32_t found) { value = found; }, from);
}

/// Waits for a token, which stays. \returns false when the watchdog ended the wait.
template <class Channel>
__device__ __forceinline__ bool read(Channel& from, std::uint32_t& value,
                                     const watchdog_ref& watchdog) {
  return fire<token_use::peek>(
      watchdog, [&](std::uint32_t found) { value = found; }, from);
}

/// Waits until the consumer has taken what was given before, and gives another one.
/// \returns false when the watchdog ended the wait.
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

}  // namespace FINESYNC_ABI
}  // namespace finesync
