// All rounds of a phase except the first: one launch, a few barriers per round.
#pragma once

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <workloads/mst/edges/block_reservation.cuh>
#include <workloads/mst/phases/component_pairs.cuh>

#include <cstdint>

namespace finesync::mst {

/// Reads the record of every component. A component joins the other end of its lightest edge, whose
/// arc enters the forest, or stays. Components that stay are numbered in order. All threads of the
/// grid call it.
__device__ inline void join(const forest_ref& run, phase which, const level& at, key_records minima,
                            block_reservation& reservation) {
  constexpr unsigned each = 4;
  run_counters::of_phase& counters = run.counters->phases[which];
  const cell<edge>* list = run.edges_of(at.number);
  key_records next = minima;
  next.use_those_of(at.number + 1);
  minima.use_those_of(at.number);
  for (std::uint32_t begin = blockIdx.x * each * blockDim.x; begin < at.components;
       begin += gridDim.x * each * blockDim.x) {
    const std::uint32_t first = first_item<each>(begin);
    std::uint64_t keys[each];
    std::uint32_t others[each], arcs[each];
    bool stays[each], joins[each];
    for (unsigned i = 0; i < each; ++i) {
      const std::uint32_t component = first + i * 32;
      keys[i] = component < at.components ? minima.read(component) : no_key;
    }
    for (unsigned i = 0; i < each; ++i) {
      joins[i] = keys[i] != no_key;
      if (!joins[i]) continue;
      const edge lightest = list[place_of(keys[i])];
      others[i] = lightest.from == first + i * 32 ? lightest.to : lightest.from;
      arcs[i] = lightest.arc;
    }
    for (unsigned i = 0; i < each; ++i) {
      const std::uint32_t component = first + i * 32;
      stays[i] = joins[i] ? component < others[i] && minima.read(others[i]) == keys[i]
                          : component == at.giant && at.edges != 0;
      joins[i] = joins[i] && !stays[i];
    }
    unsigned staying = 0, joining = 0;
    for (unsigned i = 0; i < each; ++i) {
      staying += stays[i];
      joining += joins[i];
    }
    const block_reservation::places reserved = reservation.reserve(
        staying, counters.components[at.number + 1], joining, run.counters->chosen);
    places_in_order of_staying(reserved.first), of_joining(reserved.second);
    for (unsigned i = 0; i < each; ++i) {
      const std::uint32_t component = first + i * 32;
      const std::uint32_t number = of_staying.take(stays[i]);
      const std::uint32_t place = of_joining.take(joins[i]);
      if (component >= at.components) continue;
      next.clear(component);
      if (stays[i]) {
        at.chains[component] = settled | number;
      } else if (joins[i]) {
        at.chains[component] = others[i];
        run.chosen[run.graph.vertices + place] = arcs[i];
      } else {
        at.chains[component] = settled | finished |
                               atomic_ref<std::uint32_t, scope::device>(counters.finished)
                                   .fetch_add(1, memory_order::relaxed);
      }
    }
  }
}

/// Moves the edges between different components to the next level's list and proposes them.
/// \returns false, in all lanes of a warp, when the watchdog ended a wait.
template <class Minimum>
__device__ bool keep_edges(const forest_ref& run, phase which, const level& at, std::uint32_t giant,
                           Minimum minima, edge_stage<round_storage::staged>& stage,
                           const watchdog_ref& watchdog) {
  minima.use_those_of(at.number + 1);
  edge_writer<Minimum, round_storage::staged> writer(
      stage, run.edges_of(at.number + 1), run.counters->phases[which].edges[at.number + 1], minima,
      giant, watchdog);
  const std::uint32_t threads = gridDim.x * blockDim.x;
  const std::uint32_t whole_warps = (at.edges + 31) / 32 * 32;
  for (std::uint32_t begin = blockIdx.x * blockDim.x + threadIdx.x; begin < whole_warps;
       begin += edges_each * threads) {
    edge found[edges_each];
    bool is_kept[edges_each];
    load_edges(run, at, begin, threads, found, is_kept);
    writer.add(is_kept, found);
  }
  return writer.close();
}

/// All threads of the grid call it. \returns false when the watchdog ended a wait.
template <class Participant>
__device__ bool settle_components(const forest_ref& run, phase which, const level& at,
                                  Participant& participant) {
  constexpr unsigned each = 2;
  const std::uint32_t threads = gridDim.x * blockDim.x;
  const unsettled_pass unsettled(run.counters->phases[which].unsettled[at.number]);
  bool goes_on = false;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < at.components;
       i += each * threads)
    goes_on = settle<each>(at.chains, at.labels, i, threads, at.components) || goes_on;
  if (goes_on) unsettled.report(1);
  return participant.wait() && settle_long_chains(at.labels, at.components, unsettled, participant);
}

/// Cooperative, with blocks of round_threads threads.
/// \param first_level a level whose edges are listed and proposed.
/// \param has_giant whether one component is spared, counters->giant.
template <class Minimum, grid_barrier Barrier>
__global__ void __launch_bounds__(round_threads, round_blocks_per_sm)
    run_rounds(forest_ref run, Minimum minima, phase which, unsigned first_level, bool has_giant,
               Barrier barrier, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  auto& shared = shared_storage<round_storage>();
  auto participant = barrier.join(watchdog);
  level at = level_of(run, which, first_level,
                      has_giant ? std::uint32_t{run.counters->giant} : no_component);
  while (true) {
    const bool may_pair = may_be_paired(run, at);
    if (may_pair) clear_pairs(run, at, minima);
    join(run, which, at, minima, shared.reservation);
    if (at.edges == 0) return;
    if (!participant.wait()) return;
    if (is_worth_settling(at) && !settle_components(run, which, at, participant)) return;
    const std::uint32_t giant =
        at.giant == no_component ? no_component : number_of(end_of_chain(at.labels, at.giant));
    auto& stage = shared.stages[threadIdx.x / 32];
    const std::uint32_t remaining = run.counters->phases[which].components[at.number + 1];
    bool in_time;
    if (may_pair && is_worth_pairing(run, at, remaining)) {
      in_time = propose_pairs(run, at, remaining, minima, watchdog);
      if (__syncthreads_or(!in_time) || !participant.wait()) return;
      in_time = keep_pairs(run, which, at, remaining, giant, minima, stage, watchdog);
    } else {
      in_time = keep_edges(run, which, at, giant, minima, stage, watchdog);
    }
    if (__syncthreads_or(!in_time) || !participant.wait()) return;
    at = level_at(run, which, at.number + 1, giant, at.labels + at.components);
  }
}

}  // namespace finesync::mst
