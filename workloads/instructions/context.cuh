// What kernels give an instruction: its thread's word, its block's memory, and an unknown zero.
#pragma once

#include "run_config.hpp"

#include <finesync/device/cell.cuh>
#include <finesync/device/cluster.cuh>
#include <finesync/device/ptx/mbarrier.cuh>
#include <finesync/device/ptx/placed_word.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::instructions {

/// A run's parameters.
struct launched {
  unsigned rounds;
  unsigned zero;         ///< 0, which the compiler does not know
  unsigned stride;       ///< bytes between the words of two threads; 0: all have one
  unsigned block_bytes;  ///< from a block's first word to the next block's; 0: all have one
  unsigned words_at;     ///< in shared memory, if the words are there
  unsigned cycles_at;    ///< in shared memory: cycles of all rounds with instructions, then without
  cell<std::uint32_t>* words;   ///< in device memory; of those in shared memory, before and after
  cell<std::uint64_t>* seen;    ///< per thread: the sum of what its instructions returned
  cell<std::uint32_t>* cycles;  ///< per block as in shared memory
  cell<std::uint64_t>* spans;   ///< per block: SM, start, end
};

/// The beginning of a block's shared memory; a word per thread follows, then words, then cycles.
struct alignas(line_bytes) block_memory {
  mbarrier arrivals;

  static unsigned bytes(unsigned threads) {
    const std::size_t used = sizeof(block_memory) + threads * sizeof(cell<std::uint32_t>);
    return static_cast<unsigned>((used + line_bytes - 1) / line_bytes * line_bytes);
  }
};

/// A thread's part.
struct context {
  const launched& run;
  const watchdog_ref& watchdog;

  __device__ mbarrier& arrivals() const { return shared_storage<block_memory>().arrivals; }
  /// A word of a thread of the block, in shared memory.
  __device__ cell<std::uint32_t>& beside(unsigned thread) const {
    return reinterpret_cast<cell<std::uint32_t>*>(&shared_storage<block_memory>() + 1)[thread];
  }
  /// The cycles of a round.
  __device__ cell<std::uint32_t>& cycles(bool with, unsigned round) const {
    return reinterpret_cast<cell<std::uint32_t>*>(shared_bytes() +
                                                  run.cycles_at)[with ? round : run.rounds + round];
  }
};

/// The word number `number` among those that begin at `first`.
template <class Word>
__device__ __forceinline__ cell<Word>& word_at(void* first, const launched& run, unsigned number) {
  return *reinterpret_cast<cell<Word>*>(static_cast<unsigned char*>(first) +
                                        std::size_t{run.stride} * number);
}

/// A block's words in device memory, also the copies of those that were in its shared memory.
__device__ __forceinline__ void* words_of_block(const launched& run, unsigned block) {
  return reinterpret_cast<unsigned char*>(run.words) + std::size_t{run.block_bytes} * block;
}

/// The word of a thread: the one with its number, of its block or of the next one in its cluster.
template <class Word, state_space Space>
__device__ __forceinline__ cell<Word>& word_of_thread(const launched& run, unsigned number) {
  if constexpr (Space == state_space::global)
    return word_at<Word>(words_of_block(run, blockIdx.x), run, number);
  cell<Word>& own = word_at<Word>(shared_bytes() + run.words_at, run, number);
  if constexpr (Space == state_space::shared) return own;
  return in_block(own, (cluster_rank() + 1) % cluster_blocks());
}

}  // namespace finesync::instructions
