// The kernel: in each round a share per block, a grid barrier, and the sum of the shares.
#pragma once

#include "block_sum.cuh"
#include "run_config.hpp"

#include <finesync/barriers/overlap.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/applications/watched_barrier.cuh>

#include <cstdint>

namespace finesync::reduce {

/// What a block adds to its share, so that a share of another round gives a wrong sum.
__host__ __device__ inline std::uint64_t mark_of(unsigned round) {
  return std::uint64_t{round} + 1;
}

/// The blocks' shares of two rounds, and the sums.
struct results_ref {
  cell<std::uint64_t>* shares;  ///< 2 x blocks
  cell<std::uint64_t>* totals;  ///< one per round

  /// By thread 0 of a block of the grid. Shares of a round and of the one after it are in different
  /// words. Those of the next but one follow a barrier at which block 0 arrives after it has read.
  __device__ void put(unsigned round, std::uint64_t share) const {
    shares[(round % 2) * gridDim.x + blockIdx.x] = share + mark_of(round);
  }
};

/// By one block: adds the round's shares.
__device__ inline void add_shares(const results_ref& results, unsigned round, unsigned blocks,
                                  sums_of_warps& shared) {
  std::uint64_t sum = 0;
  for (unsigned block = threadIdx.x; block < blocks; block += blockDim.x)
    sum += results.shares[(round % 2) * blocks + block];
  sum = block_sum(sum, shared);
  if (threadIdx.x == 0) results.totals[round] = sum;
}

template <class Barrier, barrier_form Form>
__global__ void __maxnreg__(32) reduce_rounds(Barrier barrier, words_ref words, results_ref results,
                                              unsigned rounds, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  auto& shared = shared_storage<block_memory>();
  auto participant = barrier.join(watchdog);
  std::uint64_t mine = sum_of_thread(words);
  for (unsigned round = 0; round < rounds; ++round) {
    const std::uint64_t share = block_sum(mine, shared.share);
    if (threadIdx.x == 0) results.put(round, share);
    const bool last = round + 1 == rounds;
    if constexpr (Form == barrier_form::split_phase) {
      const arrival_token arrived = participant.arrive();
      if (!last) mine = sum_of_thread(words);
      if (!participant.wait(arrived)) return;
    } else if (!participant.wait()) {
      return;
    }
    if (blockIdx.x == 0) add_shares(results, round, gridDim.x, shared.total);
    if (Form == barrier_form::blocking && !last) mine = sum_of_thread(words);
  }
  applications::leave(participant);
}

}  // namespace finesync::reduce
