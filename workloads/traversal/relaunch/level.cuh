// One level of a search as a kernel: its end is the barrier. The whole frontier is in the pool, as
// a block's shared memory does not outlive its kernel.
#pragma once

#include <finesync/device/dependent_launch.cuh>
#include <finesync/device/numbering.cuh>
#include <workloads/traversal/search.cuh>

#include <cstdint>

namespace finesync::traversal {

/// The slots of what levels leave for the next one, in turn.
inline constexpr unsigned kept_slots = 3;
/// Levels whose numbers are equal modulo this use the same memory. So a graph of as many levels, or
/// of several times as many, can be launched again for those that follow.
inline constexpr unsigned levels_in_turn = 15;
static_assert(levels_in_turn % frontier_ref::pool_parts == 0);
static_assert(levels_in_turn % frontier_ref::counts_in_turn == 0);
static_assert(levels_in_turn % kept_slots == 0);

/// Appends entries for the round `round`, all to the pool.
class level_writer {
 public:
  __device__ level_writer(const frontier_ref& all, unsigned round)
      : pool_(all, round), held_back_(all.found(round)[1]) {}

  /// Appends an entry again, unchanged, to be followed later. All lanes of a warp call it together.
  __device__ void hold_back(bool has, const frontier_entry& entry) {
    const unsigned lanes = lane_group::whole_warp().ballot(has);
    if (lanes != 0 && lane_id() == 0)
      atomic_ref<std::uint32_t, scope::device>(held_back_)
          .fetch_add(static_cast<std::uint32_t>(__popc(lanes)), memory_order::relaxed);
    pool_.append(has, entry);
  }

  /// All lanes of a warp call it together. \param has whether this lane has an entry.
  __device__ void push(bool has, const frontier_entry& entry) {
    append_in_parts(has, entry,
                    [&](bool some, const frontier_entry& part) { pool_.append(some, part); });
  }

 private:
  pool_writer pool_;
  cell<std::uint32_t>& held_back_;
};

/// By all threads of a grid: follows the entries of a level. \param kept thresholds, kept_slots of
/// them, zero at the start. \param level its number modulo levels_in_turn.
template <class Kind>
__device__ void follow_level(const search_ref& search, cell<std::uint64_t>* kept, unsigned level) {
  using threshold_type = typename Kind::threshold;
  using counter = atomic_ref<std::uint32_t, scope::device>;
  constexpr working_warps warps{.first = 0};
  const frontier_ref& all = search.frontier;
  const auto slot = [&](unsigned of) {
    return kept + of % kept_slots * threshold_type::kept_words;
  };
  const std::uint32_t entries = entries_in_pool(all, level);
  const std::uint32_t held_back = counter(all.found(level)[1]).load(memory_order::relaxed);
  const auto threshold =
      threshold_type::after(slot(level + kept_slots - 1), search.mean_weight, entries, held_back);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    counter(all.pool_length(level + 2)).store(0, memory_order::relaxed);
    counter(all.found(level + 2)[1]).store(0, memory_order::relaxed);
    threshold.keep(slot(level));
  }
  if (blockIdx.x == 0 && threadIdx.x < 2 && entries != 0)
    search.rounds[threadIdx.x] = search.rounds[threadIdx.x] + 1;
  level_writer next(all, level + 1);
  follow_share<Kind, Kind::threshold::holds_back>(search, warps, entries, level, threshold.limit(),
                                                  next);
}

template <class Kind>
__global__ void __launch_bounds__(1024, 1)
    search_level(search_ref search, cell<std::uint64_t>* kept, unsigned level) {
  assume_one_dimension();
  launch_next_kernel();
  wait_for_previous_kernel();
  follow_level<Kind>(search, kept, level);
}

/// One warp: what a level before the first would leave.
__global__ inline void put_source_in_pool(search_ref search) {
  assume_one_dimension();
  const std::uint32_t first = search.graph.rows[search.source];
  const std::uint32_t arcs = search.graph.rows[search.source + 1] - first;
  level_writer(search.frontier, 0)
      .push(threadIdx.x == 0, frontier_entry{search.source, 0, first, arcs});
  if (threadIdx.x == 0) search.distances[search.source] = 0;
}

}  // namespace finesync::traversal
