// SPDX-License-Identifier: Apache-2.0
// HeteroSync's lock-free tree barrier as printed. Each block has two words at its level: it sets
// one to arrive and waits for the other. The threads of the level's main block look at all of the
// former, and then reset them and set the latter. The main block of an SM does the same among the
// main blocks in between.
//
//|     SM 0:  in[0..n) ──all seen by──> main 0 ──in[0..s)──> main 0 of all ──┐
//|            out[0..n) <──set by── main 0 <──out[0..s)──────────────────────┘
//|     one block on its SM:  in[1] of the grid ──> main 0 of all ──> out[1] of the grid
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid; wait_on_sm(): those on one SM.
// Scope: device.
// Ordering: at each level block barrier; fence by thread 0, relaxed exchange; relaxed polls by the
//   main block's threads, a fence by each of them after each poll that failed and after the last;
//   block barrier; relaxed stores, a fence by each thread in between and after them; a relaxed
//   poll, relaxed stores, fence; block barrier. All fences are sequentially consistent, as
//   __threadfence() is.
// Progress: blocking, in spite of its name; every block must be resident and run.
// Traffic: per block one exchange, for a leader of several blocks another on the grid; no other
//   read-modify-write. A poll is a load; a thread of a main block begins again with its first word
//   after each that it did not find set. Two stores per block and level by its main block, two of
//   its own.
// Fairness: every block passes once per round.
// Reset: see grid_barrier.cuh; each round leaves the words at zero.
// Source: HeteroSync (revision 934a317, cudaLocksBarrierFast.cu: cudaBarrierLocalGlobal); thesis,
//   chapter 6. Added: fences on the SM have device scope; a block barrier before the first fence,
//   as a warp no longer runs in lockstep; a fence after the polls, where the code has one only
//   after those that failed; a fence between the words that a thread resets and those that it sets,
//   which the code does in pairs, or a block could pass, arrive again and be reset by the late
//   store; the launch is cooperative; waits are bounded. The volatile accesses, and the plain
//   stores after the wait, are relaxed ones. Different: an SM's blocks are those that run on it
//   (sm_roster.cuh), not those with equal blockIdx modulo the number of SMs.
#pragma once

#include <finesync/barriers/tree_barrier.cuh>
#include <finesync/device/numbering.cuh>
#include <workloads/printed/barriers/counting_block.cuh>

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <class Fences>
class lock_free_tree_printed_participant {
 public:
  struct level {
    alignas(line_bytes) cell<std::uint32_t> in[sm_roster::max_sms];
    alignas(line_bytes) cell<std::uint32_t> out[sm_roster::max_sms];
  };
  using root = level;

  __device__ lock_free_tree_printed_participant(level& grid, level& sm, const sm_place& place,
                                                const watchdog_ref& watchdog)
      : grid_(grid), sm_(sm), place_(place), watchdog_(watchdog) {}

  __device__ bool wait() {
    if (!place_.ok) return false;
    return place_.blocks == 1 ? pass_grid() : pass_sm([this] { return pass_grid(); });
  }

  __device__ bool wait_on_sm() {
    if (!place_.ok) return false;
    if (place_.blocks > 1) return pass_sm([] { return true; });
    __syncthreads();
    return true;
  }

 private:
  using word = atomic_ref<std::uint32_t, scope::device>;

  template <class Between>
  __device__ bool pass_sm(Between between) const {
    return pass(sm_, place_.rank, place_.blocks, awaited::blocks_of_sm, between);
  }
  __device__ bool pass_grid() const {
    return pass(grid_, place_.group, place_.groups, awaited::blocks, [] { return true; });
  }

  /// By all threads of a block, as are the functions below unless they say otherwise. \param
  /// between called in the main block when all others have arrived.
  template <class Between>
  __device__ bool pass(level& words, unsigned me, unsigned blocks, awaited whom,
                       Between between) const {
    __syncthreads();
    if (is_first_of_block()) {
      Fences::release();
      word(words.in[me]).exchange(1, memory_order::relaxed);
    }
    __syncthreads();
    if (me == 0) {
      if (!see_all(words, blocks, whom) || !between()) return false;
      release_all(words, blocks);
    }
    const bool ok = !is_first_of_block() || depart(words, me, whom);
    return __syncthreads_or(!ok) == 0;
  }

  __device__ bool see_all(level& words, unsigned blocks, awaited whom) const {
    bounded_wait wait(watchdog_, whom);
    bool ok = true;
    for (unsigned block = thread_rank(); ok && block < blocks;) {
      if (word(words.in[block]).load(memory_order::relaxed) == 1) {
        block += block_threads();
      } else {
        Fences::acquire();
        ok = !wait.timed_out();
        block = thread_rank();
      }
    }
    if (thread_rank() < blocks) Fences::acquire();
    return __syncthreads_or(!ok) == 0;
  }

  __device__ void release_all(level& words, unsigned blocks) const {
    set_all(words.in, blocks, 0);
    Fences::acquire_release();
    set_all(words.out, blocks, 1);
    __syncthreads();
    Fences::acquire_release();
  }

  __device__ void set_all(cell<std::uint32_t>* words, unsigned blocks, std::uint32_t to) const {
    for (unsigned block = thread_rank(); block < blocks; block += block_threads())
      word(words[block]).store(to, memory_order::relaxed);
  }

  /// By thread 0.
  __device__ bool depart(level& words, unsigned me, awaited whom) const {
    if (!await_value<no_backoff>(words.out[me], 1, watchdog_, whom)) return false;
    word(words.in[me]).store(0, memory_order::relaxed);
    word(words.out[me]).store(0, memory_order::relaxed);
    Fences::acquire_release();
    return true;
  }

  level& grid_;
  level& sm_;
  sm_place place_;
  watchdog_ref watchdog_;
};

template <class Fences = printed_fences>
using lock_free_tree_printed_barrier = tree_barrier<lock_free_tree_printed_participant<Fences>>;

static_assert(grid_barrier<lock_free_tree_printed_barrier<>::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
