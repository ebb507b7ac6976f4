// The warps beside the wavefront: what it needs they bring, and what it makes they write.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cluster.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/warp_wait.cuh>
#include <finesync/device/words_at_once.cuh>
#include <workloads/nw/strip.cuh>

#include <cstdint>

namespace finesync::nw {

/// The similarity that a byte holds: with two gaps more, as the values of a strip have it, and no
/// less than 0, which makes no difference as two gaps are free. Gaps of up to 100 and similarities
/// of up to 55 are no more than 255.
__device__ __forceinline__ std::uint32_t similarity_byte(const task& what, unsigned down,
                                                         unsigned across) {
  const std::int32_t value = what.similarities[down * task::letters + across] + 2 * what.gap;
  return value < 0 ? 0 : static_cast<std::uint32_t>(value);
}

/// Before a strip begins; all threads of the block. Rows and columns that are not of the matrix
/// have similarities of 0, and stay as their neighbours are.
template <class Sizes>
__device__ void prepare_words(strip_storage<Sizes>& shared, const task& what, unsigned strip) {
  for (unsigned i = threadIdx.x; i < (task::letters + 1) * lanes; i += blockDim.x) {
    const unsigned letter = i / lanes, lane = i % lanes;
    std::uint32_t word = 0;
    for (unsigned row = 0; row < rows_of_lane; ++row) {
      const unsigned down = strip * rows_of_strip + lane * rows_of_lane + row;
      if (letter < task::letters && down < what.scores.rows)
        word |= similarity_byte(what, what.down[down], letter) << 8 * row;
    }
    shared.words[letter][lane] = word;
  }
}

/// Packs similarities, each scorer those of some lanes. \returns false when the watchdog ended a
/// wait.
template <class Sizes>
__device__ bool score(strip_storage<Sizes>& shared, const strip_plan& plan, unsigned scorer,
                      unsigned first_stage, const watchdog_ref& watchdog) {
  constexpr unsigned lanes_each = lanes / scorers;
  const task& what = plan.what;
  const unsigned place = lane_id();
  for (unsigned stage = 0; stage < plan.stages(); ++stage) {
    std::uint32_t words[lanes_each];
    for (unsigned i = 0; i < lanes_each; ++i) {
      const unsigned lane = scorer * lanes_each + i;
      const int column = column_of(stage, lane, place);
      const bool is_there = column >= 0 && column < static_cast<int>(what.scores.columns);
      words[i] = shared.words[is_there ? what.across[column] : task::letters][lane];
    }
    const unsigned number = first_stage + stage;
    if (!await_by_warp(watchdog, awaited::empty_channel,
                       [&] { return shared.similarity_ring.may_fill(number); }))
      return false;
    auto& part = shared.similarities[shared.similarity_ring.part_of(number)];
    for (unsigned i = 0; i < lanes_each; ++i) {
      auto* to = reinterpret_cast<cell<std::uint32_t>*>(part[scorer * lanes_each + i]);
      to[place] = words[i];
    }
    shared.similarity_ring.filled(number);
  }
  return true;
}

/// Frees a stage's places of an inflow: they are as awaiting() has it, and whoever fills them is
/// told. All lanes of a warp.
template <class Sizes>
__device__ void free_stage(strip_storage<Sizes>& shared, const strip_plan& plan,
                           const strip_position& at, unsigned stage) {
  using state_word = atomic_ref<std::uint32_t, scope::cluster>;
  const unsigned place = steps_of_stage * stage + lane_id() / columns_of_step;
  const unsigned word = inflow_word<Sizes>(place) + lane_id() % columns_of_step;
  state_word(shared.inflow[word])
      .store(awaiting(plan, true, place + Sizes::inflow), memory_order::relaxed);
  __syncwarp();
  if (lane_id() != 0) return;
  cell<std::uint32_t>& told =
      at.is_first_of_cluster ? shared.freed : in_block(shared, cluster_rank() - 1).next_freed;
  state_word(told).store(stage + 1, memory_order::release);
}

/// Frees the places of the inflow that the wavefront is through with, stage by stage. A warp that
/// writes nothing else: its release waits for all its stores, and those of a writer wait for DRAM.
/// \returns false when the watchdog ended a wait.
template <class Sizes>
__device__ bool free_inflow(strip_storage<Sizes>& shared, const strip_plan& plan,
                            const strip_position& at, unsigned first_stage,
                            const watchdog_ref& watchdog) {
  for (unsigned stage = 0; stage < plan.stages(); ++stage) {
    const unsigned number = first_stage + stage;
    if (!await_by_warp(watchdog, awaited::token,
                       [&] { return shared.tile_ring.is_filled(number); }))
      return false;
    if (at.has_north()) free_stage(shared, plan, at, stage);
    shared.tile_ring.emptied(number);
  }
  return true;
}

/// Where a writer finds what it writes, and where that goes.
struct tile_rows {
  const task& what;
  unsigned first_row;  ///< the strip's
  unsigned first_lane;

  /// Scores of consecutive columns of a row, as values of a strip.
  template <unsigned Number>
  __device__ void write(unsigned row, int column, const std::uint32_t (&values)[Number]) const {
    const auto columns = static_cast<int>(what.scores.columns);
    if (row >= what.scores.rows || column < 0 || column >= columns) return;
    const auto j = static_cast<unsigned>(column) + 1;
    cell<std::int32_t>* to = &what.scores.at(row + 1, j);
    const std::int32_t free = what.gap * static_cast<std::int32_t>(row + 1 + j);
    std::int32_t scores[Number];
    for (unsigned i = 0; i < Number; ++i) {
      scores[i] =
          static_cast<std::int32_t>(values[i]) - free - what.gap * static_cast<std::int32_t>(i);
    }
    if constexpr (Number == 4) {
      if (column + 4 <= columns) {
        quad together;
        for (unsigned i = 0; i < 4; ++i) together.words[i] = static_cast<std::uint32_t>(scores[i]);
        *reinterpret_cast<cell<quad>*>(to) = together;
        return;
      }
    }
    for (unsigned i = 0; i < Number; ++i)
      if (column + static_cast<int>(i) < columns) to[i] = scores[i];
  }
};

/// Writes a stage's tile, the writer's share of it. \tparam Quads four columns at a time: rows
/// whose column 1 is aligned to 16 bytes.
template <bool Quads, class Sizes>
__device__ void write_tile(const strip_storage<Sizes>& shared, unsigned part, unsigned stage,
                           const tile_rows& rows) {
  constexpr unsigned lanes_each = lanes / writers;
  const unsigned here = lane_id();
  for (unsigned i = 0; i < lanes_each; ++i) {
    const unsigned lane = rows.first_lane + i;
    const unsigned first_row = rows.first_row + lane * rows_of_lane;
    const auto& of_lane = shared.tiles[part][lane];
    if constexpr (Quads) {
      const unsigned row = here / steps_of_stage, group = here % steps_of_stage;
      const quad values = of_lane[here];
      rows.write(first_row + row, column_of(stage, lane, columns_of_step * group), values.words);
    } else {
      const auto* words = reinterpret_cast<const cell<std::uint32_t>*>(of_lane);
      for (unsigned row = 0; row < rows_of_lane; ++row) {
        const std::uint32_t value[1] = {words[row * columns_of_stage + here]};
        rows.write(first_row + row, column_of(stage, lane, here), value);
      }
    }
  }
}

/// Writes the tiles of a strip, each writer those of some lanes. \returns false when the watchdog
/// ended a wait.
template <bool Quads, class Sizes>
__device__ bool write(strip_storage<Sizes>& shared, const strip_plan& plan,
                      const strip_position& at, unsigned writer, unsigned first_stage,
                      const watchdog_ref& watchdog) {
  const tile_rows rows{plan.what, at.strip * rows_of_strip, writer * (lanes / writers)};
  for (unsigned stage = 0; stage < plan.stages(); ++stage) {
    const unsigned number = first_stage + stage;
    if (!await_by_warp(watchdog, awaited::token,
                       [&] { return shared.tile_ring.is_filled(number); }))
      return false;
    write_tile<Quads>(shared, shared.tile_ring.part_of(number), stage, rows);
    shared.tile_ring.emptied(number);
  }
  return true;
}

/// Brings the row of the strip to the north from global memory into the inflow, and leaves all its
/// words empty. \returns false when the watchdog ended a wait.
template <class Sizes>
__device__ bool carry(strip_storage<Sizes>& shared, const strip_plan& plan,
                      const strip_position& at, const watchdog_ref& watchdog) {
  using state_word = atomic_ref<std::uint32_t, scope::cluster, home::own_block>;
  constexpr quad none{Sizes::restored, Sizes::restored, Sizes::restored, Sizes::restored};
  // Places are counted from -1 on, as in an inflow; each lane has its own, and sees to it alone.
  cell<std::uint32_t>* row =
      plan.rows_between + at.strip * plan.words_of_row() + columns_of_step * (steps_of_stage - 1);
  int limit = Sizes::room;
  bounded_wait wait(watchdog, awaited::token);
  unsigned group = lane_id();
  while (__any_sync(0xffffffffu, group < plan.groups)) {
    const int place = static_cast<int>(group) - 1;
    bool moved = false;
    if (group < plan.groups && place >= limit) {
      const std::uint32_t freed = state_word(shared.freed).load(memory_order::acquire);
      limit = static_cast<int>(Sizes::room + steps_of_stage * freed);
    }
    if (group < plan.groups && place < limit) {
      cell<std::uint32_t>* from = row + columns_of_step * std::size_t{group};
      const quad found = load_words(from);
      if (!any_empty<Sizes>(found)) {
        store_words(
            shared.inflow + (group == 0 ? first_inflow_word : inflow_word<Sizes>(group - 1)),
            found);
        store_words(from, none);
        group += lanes;
        moved = true;
      }
    }
    if (moved) wait.restart();
    if (__any_sync(0xffffffffu, !moved && wait.timed_out())) return false;
  }
  return true;
}

}  // namespace finesync::nw
