// SPDX-License-Identifier: Apache-2.0
// HeteroSync's decentralized tree barrier: no counters and no read-modify-write operations. Each
// block has two words at its SM's level: it sets one to arrive and polls the other. Each thread of
// the leader polls one block's first word, all in parallel, and later sets that block's second
// word. In between, the leaders do the same among themselves.
//
//|     SM 0:  in[0..n) ──all seen by──> leader 0, the root ─────> out[0..n)
//|     SM 1:  in[0..n) ──all seen by──> leader 1 ─in[1]─> root ─out[1]─> leader 1 ──> out[0..n)
//
// The words hold the round number, so they need no reset. A level's out[0] tells later launches the
// next round, whichever blocks belong to the level then.
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid; wait_on_sm(): those on one SM.
// Scope: device.
// Ordering: block barrier; release fence by thread 0, relaxed store; relaxed polls by the leader's
//   threads and an acquire fence by each of them; block barrier; an acq_rel fence by each thread
//   that sets words, relaxed stores; relaxed polls, acquire fence, block barrier.
// Progress: blocking, in spite of its name in the literature (which means: without atomics); every
//   block must be resident and run.
// Traffic: per block one store and the loads of its polls; per leader one load per block and poll
//   and one store per block, which coalesce, as a level's words are adjacent.
// Fairness: every block passes once per round.
// Reset: see grid_barrier.cuh. A round number repeats after 2^32 rounds.
// Source: S. Xiao and W. Feng, "Inter-Block GPU Communication via Fast Barrier Synchronization",
//   IPDPS 2010, at each level; the tree is HeteroSync's (thesis, section 2.2.1). Different: the
//   leader gathers its SM, goes to the root and then releases its SM; HeteroSync runs a whole
//   barrier of the SM before and after the grid's.
#pragma once

#include "finesync/barriers/tree_barrier.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/warp.cuh"

namespace finesync::inline FINESYNC_ABI {

template <class Fences>
class lock_free_tree_block {
 public:
  struct level {
    alignas(line_bytes) cell<std::uint32_t> in[sm_roster::max_sms];
    alignas(line_bytes) cell<std::uint32_t> out[sm_roster::max_sms];
  };
  using root = level;

  __device__ lock_free_tree_block(level& grid, level& sm, const sm_place& place,
                                  const watchdog_ref& watchdog)
      : grid_(grid, place.group, place.groups, watchdog),
        sm_(sm, place.rank, place.blocks, watchdog),
        ok_(place.ok) {}

  static constexpr unsigned callers = 32;  ///< threads of a block that call sync_for_block()

  __device__ bool sync_by_all() { return sync(all_of_block()); }
  __device__ bool sync_for_block() { return sync(warp_of_block()); }

  __device__ bool wait_on_sm() {
    const all_of_block team;
    if (!ok_) return false;
    sm_.begin_round();
    if (!sm_.leads()) return follow_on_sm(team);
    if (!sm_.gather(team, awaited::blocks_of_sm)) return false;
    sm_.broadcast(team);
    return true;
  }

 private:
  /// The threads that act for the block: all its threads, or its first warp.
  struct all_of_block {
    __device__ unsigned size() const { return block_threads(); }
    __device__ bool all(bool ok) const { return __syncthreads_or(!ok) == 0; }
    template <class Phase>
    __device__ bool by_first(Phase phase) const {
      return by_first_thread(phase);
    }
  };
  class warp_of_block {
   public:
    __device__ unsigned size() const { return block_threads() < 32 ? block_threads() : 32; }
    __device__ bool all(bool ok) const {
      ok = warp_.all(ok);
      warp_.sync();  // a vote orders no memory
      return ok;
    }
    template <class Phase>
    __device__ bool by_first(Phase phase) const {
      warp_.sync();
      return all(!is_first_of_block() || phase());
    }

   private:
    first_warp warp_;
  };

  template <class Team>
  __device__ bool sync(const Team& team) {
    if (!ok_) return false;
    sm_.begin_round();
    grid_.begin_round();
    if (!sm_.leads()) return follow_on_sm(team);
    if (!sm_.gather(team, awaited::blocks_of_sm)) return false;
    if (!(grid_.leads() ? lead_grid(team) : follow_on_grid(team))) return false;
    sm_.broadcast(team);
    return true;
  }

  /// A block's view of one level with `size` members; member 0 leads.
  class level_view {
   public:
    // Read before the block first arrives: until then no thread can set out[0].
    __device__ level_view(level& words, unsigned rank, unsigned size, const watchdog_ref& watchdog)
        : words_(words),
          rank_(rank),
          size_(size),
          round_(word(words.out[0]).load(memory_order::relaxed)),
          watchdog_(watchdog) {}

    __device__ bool leads() const { return rank_ == 0; }
    __device__ void begin_round() { ++round_; }

    /// By one thread of a block that does not lead.
    __device__ bool follow(awaited whom) const {
      word(words_.in[rank_]).store(round_, memory_order::relaxed);
      if (!await_value<no_backoff>(words_.out[rank_], round_, watchdog_, whom)) return false;
      Fences::acquire();
      return true;
    }

    /// By all threads of the leader's team: waits for the other members.
    template <class Team>
    __device__ bool gather(const Team& team, awaited whom) const {
      bool ok = true;
      for (unsigned i = 1 + thread_rank(); ok && i < size_; i += team.size())
        ok = await_value<no_backoff>(words_.in[i], round_, watchdog_, whom);
      if (1 + thread_rank() < size_) Fences::acquire();
      return team.all(ok);
    }

    /// By all threads of the leader's team: releases the other members.
    template <class Team>
    __device__ void broadcast(const Team& team) const {
      if (thread_rank() < size_ && size_ > 1) Fences::acquire_release();
      for (unsigned i = thread_rank(); i < size_; i += team.size())
        word(words_.out[i]).store(round_, memory_order::relaxed);
    }

   private:
    using word = atomic_ref<std::uint32_t, scope::device>;

    level& words_;
    unsigned rank_;
    unsigned size_;
    std::uint32_t round_;
    watchdog_ref watchdog_;
  };

  template <class Team>
  __device__ bool follow_on_sm(const Team& team) const {
    return team.by_first([this] {
      Fences::release();
      return sm_.follow(awaited::blocks_of_sm);
    });
  }

  template <class Team>
  __device__ bool follow_on_grid(const Team& team) const {
    return team.by_first([this] {
      Fences::acquire_release();
      return grid_.follow(awaited::blocks);
    });
  }

  template <class Team>
  __device__ bool lead_grid(const Team& team) const {
    if (!grid_.gather(team, awaited::blocks)) return false;
    grid_.broadcast(team);
    return true;
  }

  level_view grid_;
  level_view sm_;
  bool ok_;
};

template <class Fences>
using lock_free_tree_participant = with_overlap<lock_free_tree_block<Fences>>;

template <class Fences = tree_fences>
using lock_free_tree_barrier = tree_barrier<lock_free_tree_participant<Fences>>;

static_assert(grid_barrier<lock_free_tree_barrier<>::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
