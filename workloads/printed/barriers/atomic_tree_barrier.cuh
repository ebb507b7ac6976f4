// SPDX-License-Identifier: Apache-2.0
// HeteroSync's atomic tree barrier as printed. The blocks of an SM meet twice, their leader meets
// the other leaders twice, and the blocks of the SM meet twice more.
//
//|     SM 0:  b b b ──> first, second ──> leader ──> grid.first, grid.second ──┐
//|            go on <── second, first <──────────────────────────── leader <───┘
//|     one block on its SM:  ──> grid.first, grid.second ──> goes on
//
// At a meeting each block adds one and then tries, in every poll, to exchange the full count for
// zero. The one that succeeds polls again, like all others: a block goes on when it finds zero. The
// second meeting gives the last block time to leave the first (the double barrier).
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid; wait_on_sm(): those on one SM.
// Scope: device.
// Ordering: at each meeting block barrier; fence by thread 0, relaxed addition; block barrier;
//   relaxed polls, one release sequence per counter; fence after the one that found zero; block
//   barrier. All fences are sequentially consistent, as __threadfence() is.
// Progress: blocking; every block must be resident and run.
// Traffic per block: four additions on its SM's counters, none for the only block of an SM; per SM
//   two on the grid's. For each addition one compare-exchange that finds zero, for each meeting one
//   that finds the full count, and one per further poll. Two fences per meeting and block. Two
//   block barriers per meeting, one per poll, and on the grid one more per poll that failed.
// Fairness: every block passes once per round.
// Reset: see grid_barrier.cuh.
// Source: thesis, listings 2.1 to 2.3; what they leave open, as in HeteroSync (revision 934a317,
//   cudaLocksBarrierAtomic.cu: joinBarrier_helper). Added: the fences on the SM have device scope,
//   as those of block scope do not order the accesses of two blocks; the launch is cooperative;
//   waits are bounded. Different: the block barrier's vote tells the block that thread 0 is done,
//   where the print has a shared word. An SM's blocks are those that run on it (sm_roster.cuh), as
//   the thesis says; HeteroSync takes blockIdx modulo the number of SMs for the SM, which no GPU
//   promises.
#pragma once

#include <finesync/barriers/tree_barrier.cuh>
#include <workloads/printed/barriers/counting_block.cuh>

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <class Backoff, class Fences>
class atomic_tree_printed_participant {
 public:
  using backoff_policy = Backoff;

  struct level {
    alignas(line_bytes) cell<std::uint32_t> first;
    cell<std::uint32_t> second;
  };
  using root = level;

  __device__ atomic_tree_printed_participant(level& grid, level& sm, const sm_place& place,
                                             const watchdog_ref& watchdog)
      : grid_(grid), sm_(sm), place_(place), block_(watchdog) {}

  __device__ bool wait() {
    if (!place_.ok) return false;
    if (place_.blocks > 1) pass_sm();
    if (place_.rank == 0) pass_grid();
    if (place_.blocks > 1) pass_sm();
    return block_.all_ok();
  }

  __device__ bool wait_on_sm() {
    if (!place_.ok) return false;
    if (place_.blocks > 1) pass_sm();
    return block_.all_ok();
  }

 private:
  __device__ void pass_sm() {
    const auto at_once = [] {};
    meet(sm_.first, place_.blocks, awaited::blocks_of_sm, at_once);
    meet(sm_.second, place_.blocks, awaited::blocks_of_sm, at_once);
  }

  __device__ void pass_grid() {
    for (cell<std::uint32_t>* counter : {&grid_.first, &grid_.second}) {
      meet(*counter, place_.groups, awaited::blocks, [backoff = Backoff()]() mutable {
        backoff.wait(1);
        __syncthreads();
      });
    }
  }

  template <class Pause>
  __device__ void meet(cell<std::uint32_t>& counter, std::uint32_t blocks, awaited whom,
                       Pause pause) {
    const arrival_count arrived(counter, blocks);
    block_.template arrive<Fences>(arrived);
    const auto look = [&arrived] {
      if (arrived.look() != 0) return false;
      Fences::acquire();
      return true;
    };
    block_.look_until(whom, look, pause);
  }

  level& grid_;
  level& sm_;
  sm_place place_;
  counting_block block_;
};

/// \tparam Backoff between the leaders' polls of the grid's counters.
template <class Backoff = no_backoff, class Fences = printed_fences>
using atomic_tree_printed_barrier = tree_barrier<atomic_tree_printed_participant<Backoff, Fences>>;

static_assert(grid_barrier<atomic_tree_printed_barrier<>::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
