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

/// Rounds whose shares are kept. Block 0 adds those of a round before it arrives with the next one,
/// or in the split-phase form before it arrives with the one after that.
__host__ __device__ constexpr unsigned rounds_kept(barrier_form form) {
  return form == barrier_form::split_phase ? 3 : 2;
}

/// The blocks' shares of the rounds kept, and the sums.
struct results_ref {
  cell<std::uint64_t>* shares;  ///< rounds_kept() x blocks
  cell<std::uint64_t>* totals;  ///< one per round

  template <barrier_form Form>
  __device__ cell<std::uint64_t>* shares_of(unsigned round, unsigned blocks) const {
    return shares + round % rounds_kept(Form) * blocks;
  }
  /// By thread 0 of a block of the grid.
  template <barrier_form Form>
  __device__ void put(unsigned round, std::uint64_t share) const {
    shares_of<Form>(round, gridDim.x)[blockIdx.x] = share + mark_of(round);
  }
};

/// By one block: adds the round's shares.
template <barrier_form Form>
__device__ void add_shares(const results_ref& results, unsigned round, unsigned blocks,
                           sums_of_warps& shared) {
  std::uint64_t sum = 0;
  const cell<std::uint64_t>* shares = results.shares_of<Form>(round, blocks);
  for (unsigned block = threadIdx.x; block < blocks; block += blockDim.x) sum += shares[block];
  sum = block_sum(sum, shared);
  if (threadIdx.x == 0) results.totals[round] = sum;
}

/// In the split-phase form block 0 adds the shares of the round before under the barrier, too, so
/// no block waits for it to do so.
template <class Barrier, barrier_form Form>
__global__ void __maxnreg__(32) reduce_rounds(Barrier barrier, words_ref words, results_ref results,
                                              unsigned rounds, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  constexpr bool split = Form == barrier_form::split_phase;
  auto& shared = shared_storage<block_memory>();
  const auto add = [&](unsigned round) {
    if (blockIdx.x == 0) add_shares<Form>(results, round, gridDim.x, shared.total);
  };
  auto participant = barrier.join(watchdog);
  std::uint64_t mine = sum_of_thread(words);
  for (unsigned round = 0; round < rounds; ++round) {
    const std::uint64_t share = block_sum(mine, shared.share);
    if (threadIdx.x == 0) results.template put<Form>(round, share);
    const bool last = round + 1 == rounds;
    if constexpr (split) {
      const arrival_token arrived = participant.arrive();
      if (round != 0) add(round - 1);
      if (!last) mine = sum_of_thread(words);
      if (!participant.wait(arrived)) return;
    } else {
      if (!participant.wait()) return;
      add(round);
      if (!last) mine = sum_of_thread(words);
    }
  }
  if (split && rounds != 0) add(rounds - 1);
  applications::leave(participant);
}

}  // namespace finesync::reduce
