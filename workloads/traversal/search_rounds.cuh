// A search in one persistent kernel, with a grid barrier after each round.
#pragma once

#include "arcs_ahead.cuh"
#include "run_config.hpp"

#include <finesync/barriers/overlap.cuh>
#include <finesync/device/numbering.cuh>

namespace finesync::traversal {

/// In breadth-first search all entries of a round are at the same distance, so none is ever out of
/// date. \tparam Form blocking or split_phase
template <class Kind, class Barrier, barrier_form Form>
__global__ void __launch_bounds__(1024, 1)
    search_rounds(Barrier barrier, search_ref search, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  constexpr bool corrects = Kind::threshold::holds_back;
  constexpr bool splits = Form == barrier_form::split_phase;
  constexpr working_warps warps{.first = 0};
  auto& own = shared_storage<block_queue>();
  const frontier_ref& all = search.frontier;
  auto participant = barrier.join(watchdog);
  block_share share(blockDim.x);
  typename Kind::threshold threshold(search.mean_weight);
  arcs_ahead<Kind, corrects> ahead;
  const auto meet_before = [&](unsigned round) {
    if constexpr (splits) {
      const arrival_token arrived = participant.arrive();
      ahead.load(search, own, round, share.limit(), threshold.limit());
      return participant.wait(arrived);
    } else {
      return participant.wait();
    }
  };
  put_source(search, own);
  if (!meet_before(0)) return;  // the source's distance is known before others look at it
  unsigned count = 0;
  for (unsigned round = 0;; ++round) {
    applications::note_level(participant, round,
                             [&]() -> std::uint32_t { return own.length(round); });
    if (threadIdx.x == 0) reset_for(round + 2, own, all, round + 2);
    frontier_writer next(own, all, round + 1, share.limit());
    const std::uint32_t pooled = entries_in_pool(all, round);
    if constexpr (splits) ahead.follow(search, threshold.limit(), next);
    follow_own<Kind, corrects>(search, warps, own, round, splits ? ahead.capacity() : 0,
                               share.previous_limit(), threshold.limit(), next);
    follow_share<Kind, corrects>(search, warps, pooled, round, threshold.limit(), next);
    const bool counts = round < rounds_per_count || round % rounds_per_count == 0;
    if (counts) {
      __syncthreads();
      if (threadIdx.x == 0) add_to_count(all, count, own.length(round + 1), own.held(round + 1));
    }
    threshold.advance();
    if (!meet_before(round + 1)) return;
    if (!counts)
      share.advance();
    else if (!adapt_to_count(search, own, round, count++, share, threshold))
      break;
  }
  applications::leave(participant);
}

}  // namespace finesync::traversal
