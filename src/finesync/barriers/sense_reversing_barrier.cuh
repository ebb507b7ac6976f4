// SPDX-License-Identifier: Apache-2.0
// The thesis's sense-reversing tree barrier (SRB). The last block to arrive on an SM leads this
// round and adds to the grid's counter. The last leader there reverses the sense that all blocks
// poll.
//
//|     SM 0:  b b b ──count──> the last ──┐                                    ┌─> copy 0 <─ SM 0
//|     SM 1:  b b b ──count──> the last ──┴─count──> the very last ──reverses──┴─> copy 1 <─ SM 1
//
// The sense alternates between two values, so it needs no reset. One step on the SM is enough,
// where the atomic tree needs two. The sense has copies, because polls of one word queue up.
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid; wait_on_sm(): those on one SM.
// Scope: device.
// Ordering: block barrier; release fence by thread 0; relaxed additions, one release sequence per
//   counter; acq_rel fence of each last arriver before it signals others; relaxed polls of a copy
//   of the sense, then one acquire fence; block barrier.
// Progress: blocking; every block must be resident and run.
// Traffic: per block one addition, none for the only block of an SM; per SM one addition to the
//   grid's counter, and 16 stores by the last leader. Every poll is a load.
// Fairness: every block passes once per round.
// Reset: see grid_barrier.cuh.
// Source: thesis, section 3.1, listings 3.1 and 3.2. Different: the last arriver learns so from the
//   result of its addition and resets the counter with a store. The listings' leader polls by
//   compare-exchange, and reads the leading block's index from a word that the next one may
//   overwrite. The sense has copies. The SM's own sense, which no thread polls during wait(), is
//   reversed only in wait_on_sm(). Fences have device scope, as the blocks of an SM are different
//   blocks.
#pragma once

#include "finesync/barriers/tree_barrier.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Used by thread 0 of each block; only this thread arrives and polls.
template <class Backoff, class Fences>
class sense_reversing_block {
  struct line {
    alignas(line_bytes) cell<std::uint32_t> word;
  };
  /// Copies of the grid's sense. More copies cost the last leader more than they save the waiters.
  static constexpr unsigned copies = 16;

 public:
  using backoff_policy = Backoff;

  struct root {
    line arrived;
    line senses[copies];  // all equal
  };
  struct level {
    line arrived;
    line sense;
  };

  // The senses are read before the block first arrives: until then no thread can reverse them.
  __device__ sense_reversing_block(root& grid, level& sm, const sm_place& place,
                                   const watchdog_ref& watchdog)
      : grid_(grid),
        sm_(sm),
        grid_sense_(ref(grid.senses[0]).load(memory_order::relaxed)),
        sm_sense_(ref(sm.sense).load(memory_order::relaxed)),
        place_(place),
        watchdog_(watchdog) {}

  static constexpr unsigned callers = 1;  ///< threads of a block that call the functions below

  __device__ bool sync_for_block() {
    if (!place_.ok) return false;
    arrive_for_block();
    return wait_for_block();
  }

  __device__ void arrive_for_block() {
    if (!place_.ok) return;
    grid_sense_ ^= 1;
    if (is_last_on_sm()) arrive_at_grid();
  }

  __device__ bool wait_for_block() {
    if (!place_.ok) return false;
    if (!await_value<Backoff>(watched_sense().word, grid_sense_, watchdog_, awaited::blocks))
      return false;
    Fences::acquire();
    return true;
  }

  __device__ bool wait_on_sm() {
    return by_first_thread([this] {
      if (!place_.ok) return false;
      if (place_.blocks == 1) return true;
      sm_sense_ ^= 1;
      if (is_last_on_sm()) {
        Fences::acquire_release();
        ref(sm_.sense).store(sm_sense_, memory_order::relaxed);
      }
      if (!await_value<no_backoff>(sm_.sense.word, sm_sense_, watchdog_, awaited::blocks_of_sm))
        return false;
      Fences::acquire();
      return true;
    });
  }

 private:
  using word_ref = atomic_ref<std::uint32_t, scope::device>;
  __device__ static word_ref ref(line& at) { return word_ref(at.word); }

  __device__ line& watched_sense() const { return grid_.senses[place_.group % copies]; }

  /// The last thread to arrive resets the counter: the others use it again only after their
  /// release.
  __device__ static bool is_last(line& arrived, unsigned expected) {
    if (ref(arrived).fetch_add(1, memory_order::relaxed) + 1 < expected) return false;
    ref(arrived).store(0, memory_order::relaxed);
    return true;
  }

  __device__ bool is_last_on_sm() {
    if (place_.blocks == 1) return true;
    Fences::release();
    return is_last(sm_.arrived, place_.blocks);
  }

  __device__ void arrive_at_grid() {
    Fences::acquire_release();
    if (!is_last(grid_.arrived, place_.groups)) return;
    Fences::acquire_release();
    for (line& sense : grid_.senses) ref(sense).store(grid_sense_, memory_order::relaxed);
  }

  root& grid_;
  level& sm_;
  std::uint32_t grid_sense_;
  std::uint32_t sm_sense_;
  sm_place place_;
  watchdog_ref watchdog_;
};

template <class Backoff, class Fences>
using sense_reversing_participant = with_overlap<sense_reversing_block<Backoff, Fences>>;

/// \tparam Backoff between polls of the grid's sense.
template <class Backoff = no_backoff, class Fences = tree_fences>
using sense_reversing_barrier = tree_barrier<sense_reversing_participant<Backoff, Fences>>;

static_assert(grid_barrier<sense_reversing_barrier<>::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
