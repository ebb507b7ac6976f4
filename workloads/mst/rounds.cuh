// All rounds of a phase but the first: one launch, a few barriers each.
#pragma once

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/device/shared_storage.cuh>
#include <workloads/mst/block_reservation.cuh>
#include <workloads/mst/run.cuh>

#include <cstdint>

namespace finesync::mst {

inline constexpr unsigned round_threads = 512;
inline constexpr unsigned round_blocks_per_sm = 2;

/// Edges of a thread that are on their way at a time.
inline constexpr unsigned edges_each = 2;

struct round_storage {
  static constexpr unsigned staged = 160;
  edge_stage<staged> stages[round_threads / 32];
  block_reservation reservation;
};

/// A round: what there is, and the numbers of components in it.
struct level {
  unsigned number;
  std::uint32_t components;
  std::uint32_t edges;
  std::uint32_t giant;          ///< no_component where none is spared
  cell<std::uint32_t>* labels;  ///< of these components
  cell<std::uint32_t>* chains;  ///< the same before they are settled, which these may not be
};

/// Chains of a level are settled first; of fewer components than this their ends are found as they
/// are needed.
inline constexpr std::uint32_t worth_settling = 1u << 12;

__device__ inline bool is_worth_settling(const level& at) {
  return at.labels != at.chains;
}

/// A level of a phase, once all before it are over. \param labels of its components
__device__ inline level level_at(const run_ref& run, phase which, unsigned number,
                                 std::uint32_t giant, cell<std::uint32_t>* labels) {
  const run_counters::of_phase& counters = run.counters->phases[which];
  const std::uint32_t components = counters.components[number];
  return {.number = number,
          .components = components,
          .edges = counters.edges[number],
          .giant = giant,
          .labels = labels,
          .chains = components < worth_settling ? labels : run.chains};
}
/// The same, found from the first one. \param giant of the phase's first level.
__device__ inline level level_of(const run_ref& run, phase which, unsigned number,
                                 std::uint32_t giant = no_component) {
  cell<std::uint32_t>* labels = run.component_labels;
  for (unsigned i = 0; i < number; ++i) {
    if (giant != no_component) giant = number_of(end_of_chain(labels, giant));
    labels += run.counters->phases[which].components[i];
  }
  return level_at(run, which, number, giant, labels);
}

/// Every component looks at its record: it joins the other end of its lightest edge, whose arc goes
/// into the forest, or stays. All threads of the grid call it.
__device__ inline void join(const run_ref& run, phase which, const level& at, key_records minima,
                            block_reservation& reservation) {
  constexpr unsigned each = 4;
  run_counters::of_phase& counters = run.counters->phases[which];
  const cell<edge>* list = run.edges_of(at.number);
  key_records next = minima;
  next.use_those_of(at.number + 1);
  minima.use_those_of(at.number);
  for (std::uint32_t begin = blockIdx.x * each * blockDim.x; begin < at.components;
       begin += gridDim.x * each * blockDim.x) {
    const std::uint32_t first = begin + threadIdx.x;
    std::uint64_t keys[each];
    std::uint32_t others[each], arcs[each];
    bool stays[each], joins[each];
    for (unsigned i = 0; i < each; ++i) {
      const std::uint32_t component = first + i * blockDim.x;
      keys[i] = component < at.components ? minima.read(component) : no_key;
    }
    for (unsigned i = 0; i < each; ++i) {
      joins[i] = keys[i] != no_key;
      if (!joins[i]) continue;
      const edge lightest = list[place_of(keys[i])];
      others[i] = lightest.from == first + i * blockDim.x ? lightest.to : lightest.from;
      arcs[i] = lightest.arc;
    }
    for (unsigned i = 0; i < each; ++i) {
      const std::uint32_t component = first + i * blockDim.x;
      stays[i] = joins[i] ? component < others[i] && minima.read(others[i]) == keys[i]
                          : component == at.giant && at.edges != 0;
      joins[i] = joins[i] && !stays[i];
    }
    unsigned staying = 0, joining = 0;
    for (unsigned i = 0; i < each; ++i) {
      staying += stays[i];
      joining += joins[i];
    }
    block_reservation::places places = reservation.reserve(
        staying, counters.components[at.number + 1], joining, run.counters->chosen);
    for (unsigned i = 0; i < each; ++i) {
      const std::uint32_t component = first + i * blockDim.x;
      if (component >= at.components) continue;
      next.clear(component);
      if (stays[i]) {
        at.chains[component] = settled | places.first++;
      } else if (joins[i]) {
        at.chains[component] = others[i];
        run.chosen[run.graph.vertices + places.second++] = arcs[i];
      } else {
        at.chains[component] = settled | finished |
                               atomic_ref<std::uint32_t, scope::device>(counters.finished)
                                   .fetch_add(1, memory_order::relaxed);
      }
    }
  }
}

/// Edges between components that are still two go into the next level's list, and are offered.
/// \returns false, in all lanes of a warp, when the watchdog ended a wait.
template <class Minimum>
__device__ bool keep_edges(const run_ref& run, phase which, const level& at, std::uint32_t giant,
                           Minimum minima, edge_stage<round_storage::staged>& stage,
                           const watchdog_ref& watchdog) {
  constexpr unsigned each = edges_each;
  const cell<edge>* list = run.edges_of(at.number);
  minima.use_those_of(at.number + 1);
  edge_writer<Minimum, round_storage::staged> writer(
      stage, run.edges_of(at.number + 1), run.counters->phases[which].edges[at.number + 1], minima,
      giant, watchdog);
  const std::uint32_t threads = gridDim.x * blockDim.x;
  const std::uint32_t whole_warps = (at.edges + 31) / 32 * 32;
  for (std::uint32_t begin = blockIdx.x * blockDim.x + threadIdx.x; begin < whole_warps;
       begin += each * threads) {
    edge found[each] = {};
    bool is_kept[each];
    for (unsigned i = 0; i < each; ++i) {
      is_kept[i] = begin + i * threads < at.edges;
      if (is_kept[i]) found[i] = list[begin + i * threads];
    }
    // Most chains are of one label: those are on their way together.
    std::uint32_t from[each], to[each];
    for (unsigned i = 0; i < each; ++i) {
      from[i] = is_kept[i] ? std::uint32_t{at.labels[found[i].from]} : settled;
      to[i] = is_kept[i] ? std::uint32_t{at.labels[found[i].to]} : settled;
    }
    for (unsigned i = 0; i < each; ++i) {
      found[i].from = number_of(end_from(at.labels, from[i]));
      found[i].to = number_of(end_from(at.labels, to[i]));
      is_kept[i] = is_kept[i] && found[i].from != found[i].to;
    }
    writer.add(is_kept, found);
  }
  return writer.close();
}

__device__ inline void settle_components(const level& at) {
  constexpr unsigned each = 2;
  const std::uint32_t threads = gridDim.x * blockDim.x;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < at.components;
       i += each * threads)
    settle<each>(at.chains, at.labels, i, threads, at.components);
}

/// Cooperative, of blocks of round_threads threads.
/// \param first_level whose edges have been listed and offered.
/// \param has_giant one component is spared, counters->giant.
template <class Minimum, grid_barrier Barrier>
__global__ void __launch_bounds__(round_threads, round_blocks_per_sm)
    run_rounds(run_ref run, Minimum minima, phase which, unsigned first_level, bool has_giant,
               Barrier barrier, watchdog_ref watchdog) {
  auto& shared = shared_storage<round_storage>();
  auto meeting = barrier.join(watchdog);
  level at = level_of(run, which, first_level,
                      has_giant ? std::uint32_t{run.counters->giant} : no_component);
  while (true) {
    join(run, which, at, minima, shared.reservation);
    if (at.edges == 0) return;
    if (!meeting.wait()) return;
    if (is_worth_settling(at)) {
      settle_components(at);
      if (!meeting.wait()) return;
    }
    const std::uint32_t giant =
        at.giant == no_component ? no_component : number_of(end_of_chain(at.labels, at.giant));
    const bool in_time =
        keep_edges(run, which, at, giant, minima, shared.stages[threadIdx.x / 32], watchdog);
    if (__syncthreads_or(!in_time) || !meeting.wait()) return;
    at = level_at(run, which, at.number + 1, giant, at.labels + at.components);
  }
}

}  // namespace finesync::mst
