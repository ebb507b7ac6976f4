// SPDX-License-Identifier: Apache-2.0
// Full/empty words: a word of shared memory holds either the token or a mark for "empty". ICS'15's
// tiny-lock for hardware without lock bits: value and state in one access.
//
// Participants: threads, also of one warp.
// Scope: block.
// Ordering: the token only. It is one relaxed word, and all threads agree on the order of accesses
//   to it. A consumer that has stored `empty` cannot read the older token again; a producer that
//   has read `empty` cannot have its next token overwritten.
// Progress: lock-free ends; a take waits for a give and vice versa.
// Residency: one block.
// Traffic: a load per poll, a store to give, a store to take, none to read.
// Memory: the token.
// Fairness: one consumer takes; no reader delays another.
// Reset: open().
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/polling.cuh"
#include "finesync/device/ptx/predicated_store.cuh"
#include "finesync/device/watchdog.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

class full_empty_channel {
 public:
  /// Not a valid token.
  static constexpr std::uint32_t empty = 0x80000000u;

  __device__ explicit full_empty_channel(cell<std::uint32_t>& word) : word_(word) {}

  __device__ void open() { ref(word_).store(empty, memory_order::relaxed); }
  __device__ void close() {}
  __device__ void give(std::uint32_t token) { ref(word_).store(token, memory_order::relaxed); }
  __device__ bool is_empty() { return ref(word_).load(memory_order::relaxed) == empty; }
  __device__ bool try_read(std::uint32_t& token, memory_order order = memory_order::relaxed) {
    token = ref(word_).load(order);
    return token != empty;
  }
  __device__ bool try_take(std::uint32_t& token) {
    if (!try_read(token)) return false;
    ref(word_).store(empty, memory_order::relaxed);
    return true;
  }

  __device__ static bool is_token(std::uint32_t word) { return word != empty; }
  /// For forward(): gives `made` if `word` is a token. \returns `made`.
  __device__ std::uint32_t give_if_token(std::uint32_t word, std::uint32_t made) {
    store_if(is_token(word), word_, made);
    return made;
  }

 protected:
  using ref = atomic_ref<std::uint32_t, scope::block>;

  cell<std::uint32_t>& word_;
};

class full_empty_channels {
 public:
  static constexpr bool by_warps = false;
  static constexpr bool orders_memory = false;
  static constexpr bool many_readers = true;
  static constexpr unsigned max_threads = 1024;

  static constexpr std::size_t bytes(unsigned threads) { return 4 * std::size_t{threads}; }

  __device__ full_empty_channels(unsigned char* memory, unsigned /*threads*/)
      : words_(reinterpret_cast<cell<std::uint32_t>*>(memory)) {}

  __device__ full_empty_channel channel_of(unsigned producer) const {
    return full_empty_channel(words_[producer]);
  }

 private:
  cell<std::uint32_t>* words_;
};

namespace detail {

/// \returns whether `in` holds a token; if so, gives f(token) and stores it in `result`.
template <class Channel, class Function>
__device__ __forceinline__ bool poll_once(Channel& in, Channel& out, Function& f,
                                          std::uint32_t& result) {
  std::uint32_t word;
  const bool full = in.try_read(word);
  result = out.give_if_token(word, f(word));
  return full;
}

/// \returns false if the watchdog ended the wait.
template <class Channel>
__device__ FINESYNC_OUT_OF_LINE bool await_token(Channel in, watchdog_ref watchdog) {
  bounded_wait wait(watchdog, awaited::token);
  std::uint32_t token;
  while (!in.try_read(token))
    if (wait.timed_out()) return false;
  return true;
}

/// For a token that is slow to come. \returns the value given, or `empty` if the watchdog ended the
/// wait.
template <class Channel, class Function>
__device__ __forceinline__ std::uint32_t await_and_give(Channel& in, Channel& out, Function& f,
                                                        const watchdog_ref& watchdog) {
  if (!await_token(in, watchdog)) return Channel::empty;
  std::uint32_t token;
  in.try_read(token);
  const std::uint32_t given = f(token);
  out.give(given);
  return given;
}

/// First polls in rounds, then calls await_and_give().
template <class Channel, class Function>
__device__ __forceinline__ std::uint32_t poll_in_rounds(Channel& in, Channel& out, Function& f,
                                                        const watchdog_ref& watchdog) {
  FINESYNC_NO_UNROLL
  for (unsigned round = 0; round < rounds_of_polls; ++round) {
    for (unsigned i = 0; i < 4; ++i) {
      std::uint32_t result;
      if (poll_once(in, out, f, result)) return result;
    }
  }
  return await_and_give(in, out, f, watchdog);
}

/// First a few polls without a loop around them, because ptxas makes a warp yield in a loop. Each
/// poll starts before the previous result is tested, so a token just missed is found sooner. The
/// acquire keeps the second poll from starting together with the first; its ordering is not needed.
template <class Channel, class Function>
__device__ __forceinline__ std::uint32_t poll_in_a_row(Channel& in, Channel& out, Function& f,
                                                       const watchdog_ref& watchdog) {
  std::uint32_t word;
  in.try_read(word, memory_order::acquire);
  for (unsigned i = 0; i < Channel::polls_in_a_row; ++i) {
    std::uint32_t next;
    in.try_read(next);
    const std::uint32_t made = out.give_if_token(word, f(word));
    if (Channel::is_token(word)) return made;
    word = next;
  }
  return poll_in_rounds(in, out, f, watchdog);
}

/// A channel with early wake-up defines the number of polls in a row.
template <class Channel>
concept is_near_when_polled = requires {
  Channel::polls_in_a_row;
};

template <class Channel, class Function>
__device__ __forceinline__ std::uint32_t poll_and_give(Channel& in, Channel& out, Function& f,
                                                       const watchdog_ref& watchdog) {
  if constexpr (is_near_when_polled<Channel>)
    return poll_in_a_row(in, out, f, watchdog);
  else
    return poll_in_rounds(in, out, f, watchdog);
}

struct nothing_else {
  __device__ void operator()() const {}
};

}  // namespace detail

/// As fire() from one full/empty word to another, in the form of ICS'15, Listing 15. The token
/// stays in `in`, and `given` = f(token) goes to `out` with no branch between the poll that finds
/// it and the store. f has no side effects and accepts any word. The polls are unrolled and the
/// wait with a watchdog is out of line, because other warps wait for the code after these polls.
///
/// \param then called right after the store, also if the watchdog ended the wait.
/// \returns false, with nothing given, if the watchdog ended the wait.
template <class Channel, class Function, class Then = detail::nothing_else>
__device__ __forceinline__ bool forward(Channel& in, Channel& out, Function f, std::uint32_t& given,
                                        const watchdog_ref& watchdog, Then then = {}) {
  given = detail::poll_and_give(in, out, f, watchdog);
  then();
  return Channel::is_token(given);
}

}  // namespace finesync::inline FINESYNC_ABI
