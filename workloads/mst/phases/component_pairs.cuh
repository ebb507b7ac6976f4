// Rounds of few components and many edges: only the lightest edge of a pair can be in the forest.
//
// Components that join others of their size keep most edges until few components are left. Once
// there are far more edges than pairs, every pair has a record like a component. The next list
// takes the edge in each record; all others are dropped.
#pragma once

#include <workloads/mst/phases/level.cuh>

#include <cstdint>

namespace finesync::mst {

/// With fewer components there are so few pairs that all threads would propose to the same ones.
inline constexpr std::uint32_t fewest_paired = 16;

/// Whether the next level may have few enough components, before their number is known.
__device__ inline bool may_be_paired(const forest_ref& run, const level& at) {
  return at.components <= 8 * run.max_paired && at.edges > gridDim.x * blockDim.x;
}
/// \param remaining components of the next level.
__device__ inline bool is_worth_pairing(const forest_ref& run, const level& at,
                                        std::uint32_t remaining) {
  return fewest_paired <= remaining && remaining <= run.max_paired &&
         2 * remaining * remaining <= at.edges;
}

/// Pairs use records of the next level, after those of the largest number of paired components.
__device__ __forceinline__ std::uint32_t record_of_pair(const forest_ref& run,
                                                        std::uint32_t remaining, std::uint32_t less,
                                                        std::uint32_t greater) {
  return run.max_paired + less * remaining + greater;
}

/// Clears the records that join() does not clear. All threads of the grid call it.
__device__ inline void clear_pairs(const forest_ref& run, const level& at, key_records records) {
  records.use_those_of(at.number + 1);
  const std::uint32_t most = run.max_paired;
  const std::uint32_t first = most < at.components ? at.components : most;
  for (std::uint32_t i = first + blockIdx.x * blockDim.x + threadIdx.x; i < most + most * most;
       i += gridDim.x * blockDim.x)
    records.clear(i);
}

/// Proposes a level's edges to their pairs. All threads of the grid call it. \returns false when
/// the watchdog ended a wait of this thread.
template <class Minimum>
__device__ bool propose_pairs(const forest_ref& run, const level& at, std::uint32_t remaining,
                              Minimum minima, const watchdog_ref& watchdog) {
  minima.use_those_of(at.number + 1);
  const std::uint32_t threads = gridDim.x * blockDim.x;
  bool in_time = true;
  for (std::uint32_t begin = blockIdx.x * blockDim.x + threadIdx.x; begin < at.edges;
       begin += edges_each * threads) {
    edge found[edges_each];
    bool is_kept[edges_each];
    load_edges(run, at, begin, threads, found, is_kept);
    std::uint32_t records[edges_each];
    std::uint64_t least[edges_each];
    for (unsigned i = 0; i < edges_each; ++i) {
      const auto [from, to, weight, arc] = found[i];
      records[i] = record_of_pair(run, remaining, from < to ? from : to, from < to ? to : from);
      least[i] = is_kept[i] ? minima.current_min(records[i]) : 0;
    }
    for (unsigned i = 0; i < edges_each; ++i) {
      const std::uint64_t key = key_of(found[i].weight, begin + i * threads);
      if (in_time && key < least[i]) in_time = minima.propose(records[i], key, watchdog);
    }
  }
  return in_time;
}

/// Moves the edges in the records of pairs to the next level's list and proposes them. All threads
/// of the grid call it. \returns false, in all lanes of a warp, when the watchdog ended a wait.
template <class Minimum>
__device__ bool keep_pairs(const forest_ref& run, phase which, const level& at,
                           std::uint32_t remaining, std::uint32_t giant, Minimum minima,
                           edge_stage<round_storage::staged>& stage, const watchdog_ref& watchdog) {
  const cell<edge>* list = run.edges_of(at.number);
  minima.use_those_of(at.number + 1);
  edge_writer<Minimum, round_storage::staged> writer(
      stage, run.edges_of(at.number + 1), run.counters->phases[which].edges[at.number + 1], minima,
      giant, watchdog);
  const std::uint32_t pairs = remaining * remaining;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (pairs + 31) / 32 * 32;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t less = i / remaining, greater = i % remaining;
    const std::uint64_t key =
        i < pairs ? minima.read(record_of_pair(run, remaining, less, greater)) : no_key;
    const bool is_kept[1] = {key != no_key};
    edge found[1] = {};
    if (is_kept[0]) {
      const edge lightest = list[place_of(key)];
      found[0] = {less, greater, lightest.weight, lightest.arc};
    }
    writer.add(is_kept, found);
  }
  return writer.close();
}

}  // namespace finesync::mst
