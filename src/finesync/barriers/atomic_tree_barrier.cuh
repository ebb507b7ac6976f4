// SPDX-License-Identifier: Apache-2.0
// HeteroSync's atomic tree barrier, the thesis's baseline. The blocks of an SM synchronize at a
// counter. Their leader, always the same block, synchronizes with the other leaders and then once
// more with its SM.
//
//|     SM 0:  b b b ──> first ──> leader ──> grid.first, grid.second ──> leader ──┐
//|                        └──────── the others ───────────────────────> second <──┘──> all go on
//
// A waiting block tries to swap the full count for zero; zero tells the other blocks that all have
// arrived. Each step therefore needs two counters in turn (the "double barrier"). With one, a fast
// block could add to a counter that other blocks still expect to be zero.
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid; wait_on_sm(): those on one SM.
// Scope: device, because the blocks of an SM are different blocks even if they share an L1.
// Ordering: block barrier; release fence by thread 0 (in the leader: one fence for its whole SM);
//   relaxed additions and swaps, one release sequence per counter; acquire fence; block barrier.
//   Between levels the leader's acq_rel fence passes on the stores of the other blocks.
// Progress: blocking; every block must be resident and run.
// Traffic: per block two additions and two or more compare-exchanges, none for the only block of an
//   SM; per SM two additions and two or more compare-exchanges on the grid's counters. Every poll
//   is a compare-exchange.
// Fairness: every block passes once per round.
// Reset: see grid_barrier.cuh.
// Source: thesis, listings 2.1 to 2.3 and figure 2.1 (HeteroSync). Different: the steps before and
//   after the grid's use one of the SM's two counters each, where HeteroSync's code uses both each
//   time; fences have device scope, as fences of block scope do not reach the other blocks of the
//   SM; one thread polls instead of the whole block in a loop of block barriers; a successful swap
//   is not followed by another one that finds zero.
#pragma once

#include "finesync/barriers/tree_barrier.cuh"

namespace finesync::inline FINESYNC_ABI {

template <class Backoff, class Fences>
class atomic_tree_block {
 public:
  using backoff_policy = Backoff;

  struct level {
    alignas(line_bytes) cell<std::uint32_t> first;
    alignas(line_bytes) cell<std::uint32_t> second;
  };
  using root = level;

  __device__ atomic_tree_block(level& grid, level& sm, const sm_place& place,
                               const watchdog_ref& watchdog)
      : grid_(grid), sm_(sm), place_(place), watchdog_(watchdog) {}

  static constexpr unsigned callers = 1;  ///< threads of a block that call the functions below

  __device__ bool sync_for_block() {
    const bool leader = place_.rank == 0;
    if (!leader) Fences::release();
    if (!sync_on_sm(sm_.first)) return false;
    if (leader && !sync_leaders()) return false;
    if (!sync_on_sm(sm_.second)) return false;
    Fences::acquire();
    return true;
  }

  __device__ bool wait_on_sm() {
    return by_first_thread([this] {
      if (place_.blocks > 1) Fences::release();
      if (!sync_on_sm(sm_.first) || !sync_on_sm(sm_.second)) return false;
      if (place_.blocks > 1) Fences::acquire();
      return true;
    });
  }

 private:
  __device__ bool sync_leaders() {
    Fences::acquire_release();
    if (!sync<Backoff>(grid_.first, place_.groups, awaited::blocks)) return false;
    if (!sync<Backoff>(grid_.second, place_.groups, awaited::blocks)) return false;
    if (place_.blocks > 1) Fences::acquire_release();
    return true;
  }

  __device__ bool sync_on_sm(cell<std::uint32_t>& counter) {
    if (!place_.ok) return false;
    return place_.blocks == 1 || sync<no_backoff>(counter, place_.blocks, awaited::blocks_of_sm);
  }

  template <class Wait>
  __device__ bool sync(cell<std::uint32_t>& counter, std::uint32_t expected, awaited whom) {
    const atomic_ref<std::uint32_t, scope::device> arrived(counter);
    arrived.fetch_add(1, memory_order::relaxed);
    bounded_wait wait(watchdog_, whom);
    Wait backoff;
    while (true) {
      std::uint32_t found = expected;
      if (arrived.compare_exchange(found, 0, memory_order::relaxed) || found == 0) return true;
      if (wait.timed_out()) return false;
      backoff.wait(1);
    }
  }

  level& grid_;
  level& sm_;
  sm_place place_;
  watchdog_ref watchdog_;
};

template <class Backoff, class Fences>
using atomic_tree_participant = with_overlap<atomic_tree_block<Backoff, Fences>>;

/// \tparam Backoff between the leaders' polls of the grid's counters.
template <class Backoff = no_backoff, class Fences = tree_fences>
using atomic_tree_barrier = tree_barrier<atomic_tree_participant<Backoff, Fences>>;

static_assert(grid_barrier<atomic_tree_barrier<>::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
