// Full/empty words: a word of shared memory is the token, or says that there is none. ICS'15's
// tiny-lock for hardware without lock bits: value and state in one access.
//
// Participants: threads, also of one warp.   Scope: block.
// Ordering: of the token alone: one relaxed word, whose accesses have one order that all agree on.
//   A consumer that has stored `empty` cannot find the older token again, a producer that has read
//   `empty` cannot be overtaken by it.
// Progress: lock-free ends; a take waits for a give and the other way round.   Residency: a
// block's. Traffic: a load per poll, a store to give, a store to take, none to read.   Memory: the
// token. Fairness: one consumer takes; among readers none is held up.    Reset: open().
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/guarded_store.cuh"
#include "finesync/device/polling.cuh"
#include "finesync/device/watchdog.cuh"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace finesync {
inline namespace FINESYNC_ABI {

class full_empty_channel {
 public:
  /// No token has this value.
  static constexpr std::uint32_t empty = 0x80000000u;

  __device__ explicit full_empty_channel(cell<std::uint32_t>& word) : word_(word) {}

  __device__ void open() { ref(word_).store(empty, memory_order::relaxed); }
  __device__ void close() {}
  __device__ void give(std::uint32_t token) { ref(word_).store(token, memory_order::relaxed); }
  __device__ void give_if(bool holds, std::uint32_t token) { store_if(holds, word_, token); }
  __device__ bool is_empty() { return ref(word_).load(memory_order::relaxed) == empty; }
  __device__ bool try_read(std::uint32_t& token) {
    token = ref(word_).load(memory_order::relaxed);
    return token != empty;
  }
  __device__ bool try_take(std::uint32_t& token) {
    if (!try_read(token)) return false;
    ref(word_).store(empty, memory_order::relaxed);
    return true;
  }

 private:
  using ref = atomic_ref<std::uint32_t, scope::block>;

  cell<std::uint32_t>& word_;
};

class full_empty_channels {
 public:
  static constexpr bool by_warps = false;
  static constexpr bool orders_memory = false;
  static constexpr bool many_readers = true;
  static constexpr unsigned most_threads = 1024;

  static constexpr std::size_t bytes(unsigned threads) { return 4 * std::size_t{threads}; }

  __device__ full_empty_channels(unsigned char* memory, unsigned /*threads*/)
      : words_(reinterpret_cast<cell<std::uint32_t>*>(memory)) {}

  __device__ full_empty_channel of(unsigned producer) const {
    return full_empty_channel(words_[producer]);
  }

 private:
  cell<std::uint32_t>* words_;
};

namespace detail {

/// Whether a token is there for `in`; if so f(token), the `result`, is given.
template <class Channel, class Function>
__device__ __forceinline__ bool poll_once(Channel& in, Channel& out, Function& f,
                                          std::uint32_t& result) {
  std::uint32_t token;
  const bool full = in.try_read(token);
  result = f(token);
  out.give_if(full, result);
  return full;
}

template <class Channel, class Function>
__device__ __forceinline__ bool poll_in_rounds(Channel& in, Channel& out, Function& f,
                                               std::uint32_t& result) {
  FINESYNC_NO_UNROLL
  for (unsigned round = 0; round < rounds_of_polls; ++round) {
    for (unsigned i = 0; i < 4; ++i)
      if (poll_once(in, out, f, result)) return true;
  }
  return false;
}

/// The same by a few polls with no loop around them, in which ptxas has a warp yield to the others.
template <class Channel, class Function, unsigned... Polls>
__device__ __forceinline__ bool poll_in_a_row(Channel& in, Channel& out, Function& f,
                                              std::uint32_t& result,
                                              std::integer_sequence<unsigned, Polls...>) {
  const auto poll = [&](unsigned) { return poll_once(in, out, f, result); };
  return (poll(Polls) || ...);
}

/// A channel whose takers are told when a token is near says how many polls that is worth.
/// \returns false where no token came in time for these polls.
template <class Channel, class Function>
__device__ __forceinline__ bool poll_and_give(Channel& in, Channel& out, Function& f,
                                              std::uint32_t& result) {
  if constexpr (requires { Channel::polls_in_a_row; })
    return poll_in_a_row(in, out, f, result,
                         std::make_integer_sequence<unsigned, Channel::polls_in_a_row>());
  else
    return poll_in_rounds(in, out, f, result);
}

/// \returns false when the watchdog ended the wait.
template <class Channel>
__device__ FINESYNC_OUT_OF_LINE bool await_token(Channel in, watchdog_ref watchdog) {
  bounded_wait wait(watchdog, awaited::token);
  std::uint32_t token;
  while (!in.try_read(token))
    if (wait.timed_out()) return false;
  return true;
}

struct nothing_else {
  __device__ void operator()() const {}
};

}  // namespace detail

/// What fire() would do from one full/empty word to another, in the shape of ICS'15, Listing 15:
/// the token stays in `in`, and `given` = f(token) is in `out` with no branch between the poll that
/// finds it and the store. f has no effects and takes any word. Polls stand in a row, and the wait
/// with a watchdog out of line, as what follows these polls is what others wait for.
///
/// \param then what the lanes of the warp, if all of them call this together, do next; or, where a
/// token is long in coming, before it has come.
/// \returns false, with nothing given, when the watchdog ended the wait.
template <class Channel, class Function, class Then = detail::nothing_else>
__device__ __forceinline__ bool pass_on(Channel& in, Channel& out, Function f, std::uint32_t& given,
                                        const watchdog_ref& watchdog, Then then = {}) {
  const bool in_time = detail::poll_and_give(in, out, f, given);
  then();
  if (in_time) return true;
  if (!detail::await_token(in, watchdog)) return false;
  std::uint32_t token;
  in.try_read(token);
  given = f(token);
  out.give(given);
  return true;
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
