// A search whose barrier overlaps with its work: the first warp of each block meets those of the
// others for the round before, while the other warps follow arcs.
//
// A block takes up its own entries without waiting for anybody. It may therefore find a path that
// is not the shortest, and a shorter one later: distances are corrected, and entries that are out
// of date are dropped. The barrier keeps blocks within one round of each other, hands out the pool,
// and finds the end.
//
// Round r, by overlap.cuh: its work sees the entries that the block made in round r - 1, and its
// share of the pool that all blocks filled in round r - 2.
#pragma once

#include "search.cuh"

#include <finesync/device/numbering.cuh>

namespace finesync::traversal {

template <class Kind, class Barrier>
__global__ void __launch_bounds__(1024, 1)
    search_overlapped(Barrier barrier, search_ref search, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  constexpr bool corrects = true;
  constexpr working_warps warps{.first = 1};
  auto& own = shared_storage<block_queue>();
  const frontier_ref& all = search.frontier;
  auto participant = barrier.join(watchdog);
  put_source(search, own);
  if (!participant.wait()) return;
  block_share share(blockDim.x);
  typename Kind::threshold threshold(search.mean_weight);
  unsigned count = 0;
  bool counted = false;  // in the round before
  for (unsigned round = 0;; ++round) {
    const auto work = [&] {
      frontier_writer next(own, all, round + 1, share.limit());
      const std::uint32_t pooled = entries_in_pool(all, round + 4);
      follow_own<Kind, corrects>(search, warps, own, round, 0, share.previous_limit(),
                                 threshold.limit(), next);
      follow_share<Kind, corrects>(search, warps, pooled, round + 4, threshold.limit(), next);
    };
    if (!participant.wait_overlapped(work)) return;
    // All blocks have ended the work of the round before, which read the pool's part `round` - 2
    // and filled the part `round`.
    if (threadIdx.x == 0) reset_for(round + 2, own, all, round + 3);
    threshold.advance();
    if (counted) {
      counted = false;
      if (!adapt_to_count(search, own, round, count++, share, threshold)) break;
      continue;
    }
    share.advance();
    counted = round < rounds_per_count ? round % 2 == 1 : round % rounds_per_count == 0;
    if (counted && threadIdx.x == 0) {
      std::uint32_t entries = own.length(round + 1);
      if (blockIdx.x == 0)
        entries += atomic_ref<std::uint32_t, scope::device>(all.pool_length(round))
                       .load(memory_order::relaxed);
      add_to_count(all, count, entries, own.held(round + 1));
    }
  }
  applications::leave(participant);
}

}  // namespace finesync::traversal
