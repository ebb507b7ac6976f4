// Heralded full/empty words: a warp that is far from its turn sleeps at a named barrier, and is
// woken when the token is two hops away; then it polls. So no more than three warps poll at a time.
//
// Two hops and not one: woken one hop before, a warp polls first about when its token comes. If
// that is just too early, its next poll comes half a hop too late, by which the warps behind it are
// just too early as well, for the rest of the chain: so one delay somewhere decides which it is.
// Woken two hops before, a warp is always early, and polls that overlap find the token wherever it
// falls.
//
// Tokens have 31 bits: a word whose highest bit is set is none. So what forward() makes of any word
// can be stored as it is, with that bit, which says once more that there is none where there was
// none: a store that hangs on a predicate waits for it, and with it the next warp.
//
// Participants: whole warps.
// Scope: block.
// Ordering, traffic, reset: as full_empty_channels.cuh; in addition, one of the block's 15 barriers
//   for each warp that awaits a herald.
// Progress: a consumer that awaits a herald needs it: whoever gives up gives heralds all the same.
#pragma once

#include "finesync/dataflow/full_empty_channels.cuh"
#include "finesync/device/ptx/named_barrier.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

class early_wake_channel : public full_empty_channel {
 public:
  /// Of forward(): some 200 cycles, and a hop is 50.
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
  /// \returns the word that is now there.
  __device__ std::uint32_t give_if_token(std::uint32_t word, std::uint32_t made) {
    const std::uint32_t marked = made | (word & empty);
    give(marked);
    return marked;
  }

  /// By the warp that gives to whoever gives to this channel's producer, when it has done so.
  __device__ void wake() { named_barrier_arrive(barrier_, 2 * 32); }
  /// By the consumer: once for each wake(). No watchdog ends this wait.
  __device__ void sleep_until_woken() { named_barrier_sync(barrier_, 2 * 32); }

 private:
  unsigned barrier_;
};

class early_wake_channels {
 public:
  static constexpr bool by_warps = true;
  static constexpr bool orders_memory = false;
  static constexpr bool many_readers = true;
  static constexpr unsigned most_threads = 32 * (named_barriers - 1);

  /// How many of the block's named barriers that many producers take.
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

}  // namespace FINESYNC_ABI
}  // namespace finesync
