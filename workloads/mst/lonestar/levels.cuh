// Boruvka's algorithm as LonestarGPU 3.0 has it (mst.cu), which ASPLOS'19 measures: the kernels of
// a level, one launch each. The host starts them and reads between two launches how far they came.
//
// As published: each vertex that still has an arc to another component proposes its lightest one
// to the component's record, under the component's lock; every list has one atomic addition per
// item; every step of a walk to a root is a compare-exchange.
// Different: loads of words that other threads change bypass the L1 (components.cuh); a component
// whose join fails tries again in the same level, as its list of those that failed intends (it is
// cleared before it is read); the barrier of unite_components() is autotuned_barrier.
#pragma once

#include "append_list.cuh"
#include "components.cuh"
#include "lightest_edges.cuh"

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/device/numbering.cuh>
#include <workloads/mst/graph_ref.cuh>

#include <cstdint>

namespace finesync::mst {

/// The data of a run.
struct lonestar_run {
  graph_ref graph;
  components_ref components;
  lightest_edges_ref lightest;
  append_list_ref forest;  ///< arcs
};

/// Lists of vertices, of one level.
struct level_lists {
  append_list_ref vertices;  ///< may have an arc to another component
  append_list_ref next;      ///< the same for the next level; empty before
  append_list_ref roots;     ///< components that may join another; empty before
};

/// Finds the lightest arc of each listed vertex that leaves its component, and lists for the next
/// level who has one. \param thread, threads the caller, of those that share the work.
/// \param propose bool(component, proposed_arc); false: the watchdog ended a wait.
template <class Propose>
__device__ bool propose_arcs(const lonestar_run& run, const level_lists& lists, unsigned thread,
                             unsigned threads, Propose&& propose) {
  constexpr std::uint32_t none = ~0u;
  const std::uint32_t listed = *lists.vertices.size;
  for (std::uint32_t i = thread; i < listed; i += threads) {
    const std::uint32_t vertex = lists.vertices.items[i];
    const std::uint32_t component = run.components.find(vertex);
    const std::uint32_t begin = run.graph.rows[vertex];
    const std::uint32_t end = run.graph.rows[vertex + 1];
    proposed_arc lightest = {none, none};
    for (std::uint32_t arc = begin; arc < end; ++arc) {
      const std::uint32_t weight = run.graph.weights[arc];
      if (weight < lightest.weight && run.components.find(run.graph.targets[arc]) != component)
        lightest = {weight, arc};
    }
    const bool is_root = component == vertex && begin != end;
    if (is_root) lists.roots.push(vertex);
    if (is_root || lightest.arc != none) lists.next.push(vertex);
    if (lightest.arc != none && !propose(component, lightest)) return false;
  }
  return true;
}

/// Joins each listed component to the head of its lightest arc, which enters the forest.
/// Cooperative.
/// \param roots listed by this level's proposals, or by an earlier pass.
/// \param failed components whose join another one got ahead of; empty before.
template <grid_barrier Barrier>
__global__ void unite_components(lonestar_run run, std::uint32_t level, append_list_ref roots,
                                 append_list_ref failed, Barrier barrier, watchdog_ref watchdog) {
  assume_one_dimension<Barrier>();
  auto participant = barrier.join(watchdog);
  const std::uint32_t listed = *roots.size;
  const std::uint32_t threads = gridDim.x * blockDim.x;
  for (std::uint32_t first = 0; first < listed; first += threads) {
    const std::uint32_t i = first + blockIdx.x * blockDim.x + threadIdx.x;
    std::uint32_t root = 0, one = 0, other = 0;
    if (i < listed) {
      root = roots.items[i];
      if (run.lightest.levels[root] == level) {
        one = run.components.find(root);
        other = run.components.find(run.graph.targets[run.lightest.arcs[root]]);
      }
    }
    if (!participant.wait()) return;
    if (one != other) {
      if (run.components.unite(one, other))
        run.forest.push(run.lightest.arcs[root]);
      else
        failed.push(root);
    }
    if (!participant.wait()) return;
  }
}

}  // namespace finesync::mst
