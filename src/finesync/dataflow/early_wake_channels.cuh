// SPDX-License-Identifier: Apache-2.0
// Full/empty words with early wake-up: a warp far from its turn sleeps at a named barrier. It is
// woken when the token is two hops away, and then polls. So at most three warps poll at a time.
//
// Why two hops: a warp woken one hop ahead first polls at about the time its token arrives. If that
// is just too early, its next poll comes half a hop late. The warps after it are then just too
// early as well, for the rest of the chain, so a single delay decides the speed. A warp woken two
// hops ahead is always early, and overlapping polls find the token whenever it arrives.
//
// Tokens have 31 bits: a word with its highest bit set is no token. forward() can therefore store
// its result for any word, with that bit; where there was no token, this only repeats that. A
// predicated store would wait for its predicate, and the next warp with it.
//
// Participants: whole warps.
// Scope: block.
// Ordering, traffic, reset: as full_empty_channels.cuh; in addition, one of the block's 15 barriers
// for each warp that sleeps.
// Progress: a sleeping consumer needs its wake-up, so a thread whose wait timed out still calls
//   wake().
#pragma once

#include "finesync/dataflow/full_empty_channels.cuh"
#include "finesync/device/ptx/named_barrier.cuh"

namespace finesync::inline FINESYNC_ABI {

class early_wake_channel : public full_empty_channel {
 public:
  /// Polls by forward(): about 200 cycles; a hop takes 50.
  static constexpr unsigned polls_in_a_row = 8;

  __device__ early_wake_channel(cell<std::uint32_t>& word, unsigned barrier)
      : full_empty_channel(word), barrier_(barrier) {}

  __device__ static bool is_token(std::uint32_t word) { return (word & empty) == 0; }
  __device__ bool is_empty() {
    std::uint32_t word;
    return !try_read(word);
  }
  __device__ bool try_read(std::uint32_t& token, memory_order order = memory_order::relaxed) {
    full_empty_channel::try_read(token, order);
    return is_token(token);
  }
  __device__ bool try_take(std::uint32_t& token) {
    if (!try_read(token)) return false;
    open();
    return true;
  }
  /// \returns the word now stored.
  __device__ std::uint32_t give_if_token(std::uint32_t word, std::uint32_t made) {
    const std::uint32_t marked = made | (word & empty);
    give(marked);
    return marked;
  }

  /// By the warp that gives to the predecessor of this channel's producer, after it has given.
  __device__ void wake() { named_barrier_arrive(barrier_, 2 * 32); }
  /// By the consumer, once for each wake(). No watchdog ends this wait.
  __device__ void sleep_until_woken() { named_barrier_sync(barrier_, 2 * 32); }

 private:
  unsigned barrier_;
};

class early_wake_channels {
 public:
  static constexpr bool by_warps = true;
  static constexpr bool orders_memory = false;
  static constexpr bool many_readers = true;
  static constexpr unsigned max_threads = 32 * (named_barriers - 1);

  /// Named barriers of the block used by this many producers.
  static constexpr unsigned barriers(unsigned producers) { return producers / 32; }

  static constexpr std::size_t bytes(unsigned threads) { return 4 * std::size_t{threads}; }

  __device__ early_wake_channels(unsigned char* memory, unsigned /*threads*/)
      : words_(reinterpret_cast<cell<std::uint32_t>*>(memory)) {}

  __device__ early_wake_channel channel_of(unsigned producer) const {
    return {words_[producer], 1 + producer / 32};
  }

 private:
  cell<std::uint32_t>* words_;
};

}  // namespace finesync::inline FINESYNC_ABI
