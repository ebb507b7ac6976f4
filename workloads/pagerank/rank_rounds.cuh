// The kernel: rounds until all residuals are small, a grid barrier after each.
#pragma once

#include "rank_round.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/applications/watched_barrier.cuh>

namespace finesync::pagerank {

template <class Barrier>
__global__ void __maxnreg__(32)
    rank_rounds(Barrier barrier, ranking_ref ranking, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  auto& shared = shared_storage<block_memory>();
  auto participant = barrier.join(watchdog);
  put_first_ranks(ranking);
  if (!participant.wait()) return;
  for (unsigned round = 1; round <= ranking.most_rounds; ++round) {
    vote(ranking, round, rank_round(ranking, round).run(shared));
    if (!participant.wait()) return;
    if (!goes_on(ranking, round)) break;
  }
  applications::leave(participant);
}

}  // namespace finesync::pagerank
