// SPDX-License-Identifier: Apache-2.0
// The thesis's sense-reversing tree barrier (SRB) as printed. The blocks of an SM add to its count;
// the one whose poll finds the count full reverses the SM's sense and leads this round. The leaders
// do the same with the grid's count and sense, which the other blocks poll meanwhile.
//
//|     SM 0:  b b b ──count──> sense ──> the leader ──> grid.count ──> grid.sense ──> all go on
//|                               └─────> the others ──poll─────────────────┘
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid; wait_on_sm(): those on one SM.
// Scope: device.
// Ordering: at each level block barrier; fence by thread 0, relaxed addition; block barrier;
//   relaxed polls, one release sequence per count; fence by the block that found it full, relaxed
//   stores; relaxed polls of the sense, fence; block barrier. All fences are sequentially
//   consistent, as __threadfence() is.
// Progress: blocking; every block must be resident and run.
// Traffic: per block one addition on its SM's count, none for the only block of an SM; per SM one
//   on the grid's. A poll is a load of the sense and, if it is not reversed, a compare-exchange of
//   the count; one of these per level and round finds it full. Blocks that do not lead poll the
//   grid's sense by loads alone. One store of a sense per SM and one of the grid's, one of
//   last_block per SM. A block barrier per poll.
// Fairness: every block passes once per round.
// Reset: see grid_barrier.cuh.
// Source: thesis, section 3.1, listings 3.1 and 3.2. The listings do not show the arrival, which is
//   here as in listing 2.1, nor the blocks that do not lead. Added: fences before the arrivals and
//   after the waits; thread 0 decides for its block, which else would leave the loop in parts;
//   last_block is stored before the fence and the sense, as the printed order lets a block read the
//   last round's leader (two may lead then, or none); the launch is cooperative; waits are bounded.
//   A block keeps the senses that it waits for, as the next launch may place other blocks on an SM,
//   whose sense then need not equal the grid's. The only block of an SM goes straight to the grid,
//   as in HeteroSync. An SM's blocks are those that run on it (sm_roster.cuh).
#pragma once

#include <finesync/barriers/tree_barrier.cuh>
#include <finesync/device/numbering.cuh>
#include <workloads/printed/barriers/counting_block.cuh>

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The block that found its SM's count full leads the round.
template <class Fences>
struct finder_leads {
  /// By the thread that found the count full.
  __device__ static void reverse(cell<std::uint32_t>& sense, std::uint32_t to,
                                 cell<std::uint32_t>& last_block) {
    word(last_block).store(block_rank(), memory_order::relaxed);
    Fences::acquire_release();
    word(sense).store(to, memory_order::relaxed);
  }
  /// By all threads of a block that has seen the SM's sense reversed.
  __device__ static bool leads(cell<std::uint32_t>& last_block, const sm_place&) {
    return __syncthreads_or(is_first_of_block() &&
                            word(last_block).load(memory_order::relaxed) == block_rank()) != 0;
  }

 private:
  using word = atomic_ref<std::uint32_t, scope::device>;
};

/// The first block of an SM leads all rounds, as in the atomic tree: what section 3.1 compares
/// with.
template <class Fences>
struct first_block_leads {
  __device__ static void reverse(cell<std::uint32_t>& sense, std::uint32_t to,
                                 cell<std::uint32_t>& /*last_block*/) {
    Fences::acquire_release();
    atomic_ref<std::uint32_t, scope::device>(sense).store(to, memory_order::relaxed);
  }
  __device__ static bool leads(cell<std::uint32_t>& /*last_block*/, const sm_place& place) {
    return place.rank == 0;
  }
};

template <class Backoff, class Fences, class Leader>
class sense_reversing_printed_participant {
  struct line {
    alignas(line_bytes) cell<std::uint32_t> word;
  };

 public:
  using backoff_policy = Backoff;

  struct root {
    line arrived;
    line sense;
  };
  struct level {
    line arrived;
    line sense;
    line last_block;
  };

  // The senses are read before the block first arrives: until then no thread can reverse them.
  __device__ sense_reversing_printed_participant(root& grid, level& sm, const sm_place& place,
                                                 const watchdog_ref& watchdog)
      : grid_(grid),
        sm_(sm),
        grid_sense_(ref(grid.sense).load(memory_order::relaxed)),
        sm_sense_(ref(sm.sense).load(memory_order::relaxed)),
        place_(place),
        block_(watchdog) {}

  __device__ bool wait() {
    if (!place_.ok) return false;
    grid_sense_ ^= 1;
    if (place_.blocks > 1) pass_sm();
    if (place_.blocks == 1 || Leader::leads(sm_.last_block.word, place_))
      pass_grid();
    else
      block_.template poll_until<Fences>(grid_.sense.word, grid_sense_, awaited::blocks);
    return block_.all_ok();
  }

  __device__ bool wait_on_sm() {
    if (!place_.ok) return false;
    if (place_.blocks > 1) pass_sm();
    return block_.all_ok();
  }

 private:
  using word_ref = atomic_ref<std::uint32_t, scope::device>;
  __device__ static word_ref ref(line& at) { return word_ref(at.word); }

  /// Listing 3.1.
  __device__ void pass_sm() {
    sm_sense_ ^= 1;
    pass(sm_.arrived, place_.blocks, sm_.sense, sm_sense_, awaited::blocks_of_sm, no_backoff{},
         [this] { Leader::reverse(sm_.sense.word, sm_sense_, sm_.last_block.word); });
  }

  /// Listing 3.2.
  __device__ void pass_grid() {
    pass(grid_.arrived, place_.groups, grid_.sense, grid_sense_, awaited::blocks, Backoff{},
         [this] {
           Fences::acquire_release();
           ref(grid_.sense).store(grid_sense_, memory_order::relaxed);
         });
  }

  /// \param reverse called by the thread that found the count full.
  template <class Wait, class Reverse>
  __device__ void pass(line& count, std::uint32_t blocks, line& sense, std::uint32_t wanted,
                       awaited whom, Wait backoff, Reverse reverse) {
    const arrival_count arrived(count.word, blocks);
    block_.template arrive<Fences>(arrived);
    block_.look_until(whom, [&] {
      if (ref(sense).load(memory_order::relaxed) == wanted) {
        Fences::acquire();
        return true;
      }
      if (arrived.was_full(arrived.look()))
        reverse();
      else
        backoff.wait(1);
      return false;
    });
  }

  root& grid_;
  level& sm_;
  std::uint32_t grid_sense_;
  std::uint32_t sm_sense_;
  sm_place place_;
  counting_block block_;
};

/// \tparam Backoff between the leaders' polls of the grid's count.
template <class Backoff = no_backoff, class Fences = printed_fences,
          class Leader = finder_leads<Fences>>
using sense_reversing_printed_barrier =
    tree_barrier<sense_reversing_printed_participant<Backoff, Fences, Leader>>;

template <class Backoff = no_backoff, class Fences = printed_fences>
using sense_reversing_static_printed_barrier =
    sense_reversing_printed_barrier<Backoff, Fences, first_block_leads<Fences>>;

static_assert(grid_barrier<sense_reversing_printed_barrier<>::ref_type>);
static_assert(grid_barrier<sense_reversing_static_printed_barrier<>::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
