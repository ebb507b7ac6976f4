// What an instruction finds on the device: its thread's word, its block's memory, and zeros.
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

/// A run's parameters; words of device memory, whose layout `words_of_threads` explains.
struct launched {
  unsigned rounds;
  unsigned zero;            ///< 0, which the compiler does not know
  unsigned stride;          ///< bytes
  unsigned block_bytes;     ///< from a block's first word to the next block's; 0: all have one
  cell<std::uint32_t>* words;
  cell<std::uint64_t>* seen;    ///< per thread: the sum of what its instructions returned
  cell<std::uint32_t>* cycles;  ///< per block, see timed
  cell<std::uint64_t>* spans;   ///< per block: SM, start, end
};

/// Cycles of a block's rounds: with the instructions, then without.
inline constexpr unsigned timed = 2 * max_rounds;

struct block_memory {
  alignas(line_bytes) mbarrier arrivals;
  alignas(line_bytes) cell<std::uint32_t> behind[1024];  ///< per thread; see cycles_of()
  cell<std::uint32_t> cycles[timed];
};

/// A thread's part.
struct context {
  const launched& run;
  block_memory& own;
  const watchdog_ref& watchdog;
};

/// The bytes of a block's words in its shared memory, behind the block_memory.
__device__ __forceinline__ unsigned char* shared_words() {
  return shared_bytes() + sizeof(block_memory);
}

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
__device__ __forceinline__ cell<Word>& word_of_thread(const context& at, unsigned number) {
  if constexpr (Space == state_space::global)
    return word_at<Word>(words_of_block(at.run, blockIdx.x), at.run, number);
  cell<Word>& own = word_at<Word>(shared_words(), at.run, number);
  if constexpr (Space == state_space::shared) return own;
  return in_block(own, (cluster_rank() + 1) % cluster_blocks());
}

}  // namespace finesync::instructions
