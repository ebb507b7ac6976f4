// SPDX-License-Identifier: Apache-2.0
// Named barriers for a chain of more warps than a block has barriers: warp w + 1 reads what warp w
// gives, for all warps, and each barrier is used again when the token has passed.
//
// Channels are in laps of five; the first lap may have fewer. Laps use two sets of five barriers in
// turn, so those of a lap and of the lap after next are the same. A warp that reads in the third
// lap or later first waits at the lap's gate, a barrier of its own, for the end of the lap before
// last. The warp that gives the first token of the lap in between opens the gate, right after it
// has given: the token is then five hops away, which is time enough to go from the gate to one's
// own barrier.
//
//|  lap        0      1      2                 3                 ...
//|  barriers   1-5    6-10   1-5               6-10
//|  gate       none   none   11, opened by     12, opened by
//|                           lap 1's first     lap 2's first
//
// No two channels use a barrier at once. A warp gives only after it has read the channel before, so
// channels are read one after the other. Readers of lap k + 2 come to its barriers only through the
// gate, after all readers of lap k have left them. Producers of lap k + 2 give later still, after
// the readers of lap k + 1.
//
// Participants: whole warps, all of a block, each of them but the last giving once.
// Scope, ordering, progress: as named_barrier_channels.cuh.
// Residency: one block.
// Traffic: only the tokens.
// Memory: the tokens, and at most 15 named barriers of the block.
// Fairness: there is one consumer.
// Reset: none; a __syncthreads() between two chains.
#pragma once

#include "finesync/dataflow/named_barrier_channels.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

class chained_barrier_channel : public named_barrier_channel<channel_use::once> {
  using hop = named_barrier_channel<channel_use::once>;

 public:
  static constexpr unsigned in_a_lap = 5;
  /// Not the number of a gate: there is none.
  static constexpr unsigned no_gate = 0;

  /// \param entrance gate for the reader. \param opened gate that the producer opens.
  __device__ chained_barrier_channel(const hop& own, unsigned entrance, unsigned opened)
      : hop(own),
        entrance_(entrance),
        opened_(opened),
        has_gate_(is_gate(entrance)),
        opens_gate_(is_gate(opened)) {}

  /// By the producer, right after give(). A function of its own, so that nothing comes between a
  /// token and the next.
  __device__ void open_gate() {
    if (opens_gate_) named_barrier_arrive(opened_, at_a_gate);
  }
  __device__ bool read(std::uint32_t& token, const watchdog_ref& watchdog) {
    if (has_gate_) named_barrier_sync(entrance_, at_a_gate);
    return hop::read(token, watchdog);
  }
  __device__ bool take(std::uint32_t& token, const watchdog_ref& watchdog) {
    return read(token, watchdog);
  }

 private:
  /// The readers of a lap, and the warp that opens the gate. As a constant it costs no instruction
  /// between a token and the next.
  static constexpr unsigned at_a_gate = 32 * (in_a_lap + 1);

  /// The vote tells the assembler that all lanes agree.
  __device__ static bool is_gate(unsigned number) {
    return __all_sync(0xffffffffu, number != no_gate) != 0;
  }

  unsigned entrance_;
  unsigned opened_;
  bool has_gate_;
  bool opens_gate_;
};

class chained_barrier_channels {
  static constexpr unsigned in_a_lap = chained_barrier_channel::in_a_lap;
  static constexpr unsigned without_gate = 2;  ///< laps, each with its own set of barriers
  static constexpr unsigned first_gate = 1 + without_gate * in_a_lap;

  __host__ __device__ static constexpr unsigned laps_of(unsigned hops) {
    return (hops + in_a_lap - 1) / in_a_lap;
  }

 public:
  static constexpr bool by_warps = true;
  static constexpr bool orders_memory = true;
  static constexpr bool many_readers = false;
  /// Each warp gives to the next.
  static constexpr bool is_chain = true;
  static constexpr unsigned max_threads = 1024;

  /// Named barriers of the block used by this many producers.
  static constexpr unsigned barriers(unsigned producers) {
    const unsigned hops = producers / 32;
    return std::min(hops, without_gate * in_a_lap) + std::max(laps_of(hops), without_gate) -
           without_gate;
  }

  static constexpr std::size_t bytes(unsigned threads) { return 4 * std::size_t{threads}; }

  /// \param threads of the chain, with those that only read.
  __device__ chained_barrier_channels(unsigned char* memory, unsigned threads)
      : values_(reinterpret_cast<cell<std::uint32_t>*>(memory)),
        laps_(laps_of(threads / 32 - 1)),
        skipped_(laps_ * in_a_lap - (threads / 32 - 1)) {}

  __device__ chained_barrier_channel channel_of(unsigned producer) const {
    const unsigned place = producer / 32 + skipped_;
    const unsigned lap = place / in_a_lap;
    const bool is_first = place % in_a_lap == 0;
    return {{1 + place % (without_gate * in_a_lap), values_[producer]},
            gate_of(lap),
            is_first ? gate_of(lap + 1) : chained_barrier_channel::no_gate};
  }

 private:
  __device__ unsigned gate_of(unsigned lap) const {
    if (lap < without_gate || lap >= laps_) return chained_barrier_channel::no_gate;
    return first_gate + lap - without_gate;
  }

  cell<std::uint32_t>* values_;
  unsigned laps_;
  unsigned skipped_;  ///< places of the first lap without a warp, so that all others are full
};

static_assert(chained_barrier_channels::barriers(chained_barrier_channels::max_threads) <
              named_barriers);

}  // namespace finesync::inline FINESYNC_ABI
