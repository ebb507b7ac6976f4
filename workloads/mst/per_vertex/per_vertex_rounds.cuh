// Boruvka's algorithm as in LonestarGPU 3.0, which ASPLOS'19 measures. In every round each vertex
// finds its lightest arc that leaves its component. It updates the component's record under the
// component's lock.
#pragma once

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <workloads/mst/phases/forest_ref.cuh>

#include <cstdint>

namespace finesync::mst {

/// A component's record of the lightest arc that leaves it; used under its lock.
struct lightest_arc {
  cell<std::uint32_t> is_known;  ///< whether the record holds an arc
  cell<std::uint32_t> weight;
  cell<std::uint32_t> component;  ///< component at the arc's head
  cell<std::uint32_t> arc;
};

/// A component's number is that of one of its vertices.
template <class Lock>
struct vertex_run {
  graph_ref graph;
  cell<std::uint32_t>* components;       ///< component of each vertex, between two phases
  cell<std::uint32_t>* chosen;           ///< by component: arc that joined it to another
  lightest_arc* lightest;                ///< by component
  lock_table_ref<Lock> locks;            ///< by component
  cell<std::uint32_t>* rounds_of_joins;  ///< numbers of joins in 3 successive rounds, initially 0
  cell<std::uint32_t>* unsettled;        ///< see unsettled_pass, by passes of all rounds
};

/// Orders arcs by weight, then by the component at the head. Equal weights then close no cycle: see
/// first_round.cuh.
__device__ __forceinline__ std::uint64_t order_of(std::uint32_t weight, std::uint32_t component) {
  return std::uint64_t{weight} << 32 | component;
}

/// \returns false when the watchdog ended a wait.
template <class Lock>
__device__ bool propose_lightest(const vertex_run<Lock>& run, std::uint32_t vertex,
                                 const watchdog_ref& watchdog) {
  const row mine = row_of(run.graph, vertex, run.components[vertex]);
  std::uint64_t least = no_key;
  std::uint32_t arc = no_arc;
  for (std::uint32_t i = mine.begin; i < mine.end; ++i) {
    const std::uint32_t other = run.components[run.graph.targets[i]];
    const std::uint64_t order = order_of(run.graph.weights[i], other);
    if (other == mine.component || order >= least) continue;
    least = order;
    arc = i;
  }
  if (arc == no_arc) return true;
  lightest_arc& record = run.lightest[mine.component];
  return run_exclusive(
      run.locks[mine.component],
      [&] {
        if (record.is_known && order_of(record.weight, record.component) <= least) return;
        record.is_known = 1;
        record.weight = static_cast<std::uint32_t>(least >> 32);
        record.component = static_cast<std::uint32_t>(least);
        record.arc = arc;
      },
      watchdog.watching(mine.component));
}

/// Joins a component to the head of its lightest arc. If two components would join each other, the
/// smaller number stays. \returns whether it was joined.
template <class Lock>
__device__ bool join(const vertex_run<Lock>& run, std::uint32_t component) {
  const lightest_arc& record = run.lightest[component];
  if (!record.is_known) return false;
  const std::uint32_t other = record.component;
  const lightest_arc& record_of_other = run.lightest[other];
  if (component < other && record_of_other.component == component) return false;
  shared_label(run.components[component]).store(other, memory_order::relaxed);
  run.chosen[component] = record.arc;
  return true;
}

/// Takes a vertex's component along a chain of joins, up to first_steps of them. A root, the
/// component that is joined to no other, ends it. Each pass over all vertices makes chains
/// first_steps times as short, so that no walk grows with the graph. \returns whether the root is
/// still to be found.
template <class Lock>
__device__ bool shorten(const vertex_run<Lock>& run, std::uint32_t vertex) {
  const auto label_of = [&](std::uint32_t component) {
    return shared_label(run.components[component]).load(memory_order::relaxed);
  };
  std::uint32_t at = label_of(vertex);
  std::uint32_t next = label_of(at);
  for (unsigned step = 0; next != at && step < first_steps; ++step) {
    at = next;
    next = label_of(at);
  }
  shared_label(run.components[vertex]).store(at, memory_order::relaxed);
  return next != at;
}

/// Cooperative. At first every vertex is its own component, and no component knows an arc.
template <class Lock, grid_barrier Barrier>
__global__ void __launch_bounds__(1024, 1)  // without the 1, ptxas takes 32 registers and spills
    run_by_vertices(vertex_run<Lock> run, Barrier barrier, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  const std::uint32_t begin = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t threads = gridDim.x * blockDim.x;
  const std::uint32_t vertices = run.graph.vertices;
  auto participant = barrier.join(watchdog);
  const unsettled_pass unsettled(*run.unsettled);
  unsigned pass = 0;
  for (unsigned round = 0;; ++round) {
    cell<std::uint32_t>& joins = run.rounds_of_joins[round % 3];
    bool in_time = true;
    for (std::uint32_t i = begin; i < vertices && in_time; i += threads)
      in_time = propose_lightest(run, i, watchdog);
    if (begin == 0) run.rounds_of_joins[(round + 1) % 3] = 0;
    if (__syncthreads_or(!in_time) || !participant.wait()) return;

    bool joined = false;
    for (std::uint32_t i = begin; i < vertices; i += threads) joined |= join(run, i);
    if (__syncthreads_or(joined) && threadIdx.x == 0)
      atomic_ref<std::uint32_t, scope::device>(joins).fetch_add(1, memory_order::relaxed);
    if (!participant.wait()) return;

    if (joins == 0) return;
    for (std::uint32_t i = begin; i < vertices; i += threads) run.lightest[i].is_known = 0;
    do {
      ++pass;
      bool goes_on = false;
      for (std::uint32_t i = begin; i < vertices; i += threads) goes_on |= shorten(run, i);
      if (goes_on) unsettled.report(pass);
      if (!participant.wait()) return;
    } while (unsettled.is_or_follows(pass));
  }
}

}  // namespace finesync::mst
