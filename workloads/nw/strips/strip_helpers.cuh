// The warps other than the wavefront: they load its inputs and write its results.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cluster.cuh>
#include <finesync/device/ptx/vector_access.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/warp_wait.cuh>
#include <workloads/nw/strips/strip.cuh>

#include <cstdint>

namespace finesync::nw {

/// The similarity that a byte holds: increased by two gaps, as in the values of a strip, and at
/// least 0. The bound changes no score, as two gaps are free. With gaps of up to 100 and
/// similarities of up to 55 the value is at most 255.
__device__ __forceinline__ std::uint32_t similarity_byte(const task& what, unsigned down,
                                                         unsigned across) {
  const std::int32_t value = what.similarities[down * task::letters + across] + 2 * what.gap;
  return value < 0 ? 0 : static_cast<std::uint32_t>(value);
}

/// Called by all threads of the block before a strip begins. Rows and columns outside the matrix
/// have similarity 0 and keep their neighbours' values.
template <class Sizes>
__device__ void prepare_words(strip_storage<Sizes>& shared, const task& what, unsigned strip) {
  constexpr unsigned all = task::letters + 1, each = (all + warps_of_strip - 1) / warps_of_strip;
  const unsigned lane = threadIdx.x % lanes, first = threadIdx.x / lanes;
  const unsigned first_row = strip * rows_of_strip + lane * rows_of_lane;
  // First all loads of rows, then all of similarities: a strip's begin waits for memory twice.
  unsigned down[rows_of_lane];
  for (unsigned row = 0; row < rows_of_lane; ++row)
    down[row] = first_row + row < what.scores.rows ? what.down[first_row + row] : task::letters;
  std::uint32_t words[each] = {};
  for (unsigned i = 0; i < each; ++i) {
    const unsigned letter = first + warps_of_strip * i;
    for (unsigned row = 0; row < rows_of_lane; ++row)
      if (letter < task::letters && down[row] < task::letters)
        words[i] |= similarity_byte(what, down[row], letter) << 8 * row;
  }
  for (unsigned i = 0; i < each; ++i)
    if (first + warps_of_strip * i < all) shared.words[first + warps_of_strip * i][lane] = words[i];
}

/// Packs similarities; each scorer packs those of some lanes. \returns false when the watchdog
/// ended a wait.
template <class Sizes>
__device__ bool score(strip_storage<Sizes>& shared, const strip_plan& plan,
                      const strip_position& at, unsigned scorer, unsigned first_half,
                      const watchdog_ref& watchdog) {
  constexpr unsigned lanes_each = lanes / scorers;
  const task& what = plan.what;
  const unsigned place = lane_id();
  for (unsigned stage = 0; stage < at.stages; ++stage) {
    std::uint32_t words[lanes_each];
    for (unsigned i = 0; i < lanes_each; ++i) {
      const unsigned lane = scorer * lanes_each + i;
      const int column = column_of(stage, lane, place);
      const bool is_there = column >= 0 && column < static_cast<int>(what.scores.columns);
      words[i] = shared.words[is_there ? what.across[column] : task::letters][lane];
    }
    const unsigned half = first_half + half_of<Sizes>(stage);
    const unsigned place_of_stage = place_in_half<Sizes>(stage);
    if (place_of_stage == 0 && !await_by_warp(watchdog, awaited::empty_channel, [&] {
          return shared.similarity_ring.producer_acquire(half);
        }))
      return false;
    auto& part = shared.similarities[part_of<Sizes>(half, place_of_stage)];
    for (unsigned i = 0; i < lanes_each; ++i) {
      auto* to = reinterpret_cast<cell<std::uint32_t>*>(part[scorer * lanes_each + i]);
      to[place] = words[i];
    }
    if (at.template ends_half<Sizes>(stage)) shared.similarity_ring.producer_commit(half);
  }
  return true;
}

/// Processes a strip's tiles, half a ring at a time: calls `visit(half, begin, end)` with the
/// stages once they are ready. \returns false when the watchdog ended a wait.
template <class Sizes, class Visit>
__device__ __forceinline__ bool for_halves(strip_storage<Sizes>& shared, const strip_position& at,
                                           unsigned first_half, const watchdog_ref& watchdog,
                                           const Visit& visit) {
  unsigned half = first_half;
  for (unsigned begin = 0; begin < at.stages; begin = end_of_half<Sizes>(begin), ++half) {
    if (!await_by_warp(watchdog, awaited::token,
                       [&] { return shared.tile_ring.consumer_ready(half); }))
      return false;
    const unsigned end = end_of_half<Sizes>(begin);
    visit(half, begin, end < at.stages ? end : at.stages);
    shared.tile_ring.consumer_release(half);
  }
  return true;
}

/// Frees the inflow places that these stages have read: resets them as awaiting() defines, and
/// notifies the warp that fills them. All lanes of a warp call it.
template <class Sizes>
__device__ void free_stages(strip_storage<Sizes>& shared, const strip_plan& plan,
                            const strip_position& at, unsigned begin, unsigned end) {
  using state_word = atomic_ref<std::uint32_t, scope::cluster>;
  for (unsigned stage = begin; stage < end; ++stage) {
    const unsigned place = steps_of_stage * stage + lane_id() / columns_of_step;
    const unsigned word = inflow_word<Sizes>(place) + lane_id() % columns_of_step;
    state_word(shared.inflow[word])
        .store(awaiting(plan, true, place + Sizes::inflow), memory_order::relaxed);
  }
  __syncwarp();
  if (lane_id() != 0) return;
  cell<std::uint32_t>& reported =
      at.is_first_of_cluster ? shared.freed : in_block(shared, cluster_rank() - 1).next_freed;
  state_word(reported).store(end, memory_order::release);
}

/// Publishes to the wavefront how much it may forward. An acquire waits some hundred cycles, which
/// would delay the wavefront and all later strips.
template <class Sizes>
__device__ void forward_freed(strip_storage<Sizes>& shared) {
  if (lane_id() != 0) return;
  const std::uint32_t freed =
      atomic_ref<std::uint32_t, scope::cluster>(shared.next_freed).load(memory_order::acquire);
  atomic_ref<std::uint32_t, scope::block>(shared.seen_freed).store(freed, memory_order::release);
}

/// Frees the places of the inflow that the wavefront has completed. This warp writes nothing else:
/// a release waits for all the warp's stores, and a writer's stores wait for DRAM.
/// \returns false when the watchdog ended a wait.
template <class Sizes>
__device__ bool free_inflow(strip_storage<Sizes>& shared, const strip_plan& plan,
                            const strip_position& at, unsigned first_half,
                            const watchdog_ref& watchdog) {
  return for_halves<Sizes>(shared, at, first_half, watchdog,
                           [&](unsigned /*half*/, unsigned begin, unsigned end) {
                             if (at.has_north()) free_stages(shared, plan, at, begin, end);
                             if (at.fills_ring(plan)) forward_freed(shared);
                           });
}

/// The rows of some lanes, which one writer writes.
template <class Sizes>
class written_rows {
 public:
  __device__ written_rows(const strip_storage<Sizes>& shared, const task& what, unsigned strip,
                          unsigned writer)
      : shared_(shared),
        what_(what),
        first_lane_(lanes_each * writer),
        first_row_(strip * rows_of_strip + rows_of_lane * first_lane_) {}

  /// Writes all stages of a row, then the next row: DRAM takes pieces of 512 bytes faster than of
  /// 128. Loads of one lane's rows are issued together, but not those of all lanes. The wavefront's
  /// shared-memory accesses would wait for a burst of stores.
  /// \param begin, end the stages in that half of the ring.
  __device__ void write(unsigned half, unsigned begin, unsigned end) const {
    if (end - begin == 1) {
      write<1>(half, begin, end);
    } else {
      write<stages_of_half<Sizes>>(half, begin, end);
    }
  }

 private:
  static constexpr unsigned lanes_each = lanes / writers;

  /// \tparam at_once stages per row; some may not exist.
  template <unsigned at_once>
  __device__ void write(unsigned half, unsigned begin, unsigned end) const {
    // A lane's rows follow the previous lane's, and it lags by as many columns. The row and column
    // of a thread's cells have the same sum in all lanes.
    static_assert(rows_of_lane == columns_of_step);
    int column = column_of(begin, first_lane_, lane_id());
    const std::int32_t free = what_.gap * (static_cast<std::int32_t>(first_row_) + column + 2);
    const std::size_t pitch = what_.scores.pitch;
    // Unused if there is no such column.
    cell<std::int32_t>* to = what_.scores.origin + (first_row_ + 1) * pitch + column + 1;
    for (unsigned lane = 0; lane < lanes_each; ++lane) {
      std::int32_t values[rows_of_lane][at_once];
      for (unsigned row = 0; row < rows_of_lane; ++row)
        for (unsigned i = 0; i < at_once; ++i) values[row][i] = value(half, i, lane, row);
      for (unsigned row = 0; row < rows_of_lane; ++row) {
        const bool has_row = first_row_ + rows_of_lane * lane + row < what_.scores.rows;
        for (unsigned i = 0; i < at_once; ++i) {
          const unsigned ahead = columns_of_stage * i;
          if (has_row && begin + i < end &&
              static_cast<unsigned>(column) + ahead < what_.scores.columns)
            to[row * pitch + ahead] =
                values[row][i] - free - what_.gap * static_cast<std::int32_t>(row + ahead);
        }
      }
      to += rows_of_lane * pitch - columns_of_step;
      column -= static_cast<int>(columns_of_step);
    }
  }

  /// The value in the thread's column.
  __device__ std::int32_t value(unsigned half, unsigned place, unsigned lane, unsigned row) const {
    const auto& tile = shared_.tiles[part_of<Sizes>(half, place)];
    const auto* words = reinterpret_cast<const cell<std::int32_t>*>(tile[first_lane_ + lane]);
    return words[row * columns_of_stage + lane_id()];
  }

  const strip_storage<Sizes>& shared_;
  const task& what_;
  unsigned first_lane_;
  unsigned first_row_;  ///< row of the matrix, from 0
};

/// Writes the tiles of a strip; each writer writes the rows of some lanes. \returns false when the
/// watchdog ended a wait.
template <class Sizes>
__device__ bool write(strip_storage<Sizes>& shared, const strip_plan& plan,
                      const strip_position& at, unsigned writer, unsigned first_half,
                      const watchdog_ref& watchdog) {
  const written_rows rows(shared, plan.what, at.strip, writer);
  return for_halves<Sizes>(
      shared, at, first_half, watchdog,
      [&](unsigned half, unsigned begin, unsigned end) { rows.write(half, begin, end); });
}

/// Copies the row of the strip to the north from global memory into the inflow, and leaves all its
/// words empty. \returns false when the watchdog ended a wait.
template <class Sizes>
__device__ bool carry(strip_storage<Sizes>& shared, const strip_plan& plan,
                      const strip_position& at, const watchdog_ref& watchdog) {
  using state_word = atomic_ref<std::uint32_t, scope::cluster, shared_owner::own_block>;
  constexpr quad none{Sizes::restored, Sizes::restored, Sizes::restored, Sizes::restored};
  // Places are counted from -1, as in an inflow. Each lane handles its own places.
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
