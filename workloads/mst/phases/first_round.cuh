// The first round: every vertex is a component and chooses its lightest arc, among equal ones the
// arc to the smallest neighbour. Each component has one vertex, so no proposals are needed.
//
// Equal weights close no cycle. In a cycle all weights would be equal. Each vertex's choice would
// then be less than the previous vertex, which it could also have chosen.
//
// Included by one source only: its kernels are not templates.
#pragma once

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <workloads/mst/edges/block_reservation.cuh>
#include <workloads/mst/phases/forest_ref.cuh>

#include <cstdint>

namespace finesync::mst {

/// Arcs that a lane reads at the same time, and the number for rows with few arcs.
inline constexpr unsigned many_arcs = 8, few_arcs = 4;

/// The lightest arc that a lane has found.
struct found_arc {
  std::uint64_t key = no_key;
  std::uint32_t target = 0;  ///< if known
};

/// Keeps the smaller of the arc found so far and the arcs given. Targets of a row ascend.
/// \tparam KnowsTargets also load the targets now, before the choice is known.
template <bool KnowsTargets, unsigned Number>
__device__ __forceinline__ void keep_lightest(const graph_ref& graph, const some_arcs<Number>& arcs,
                                              found_arc& best) {
  std::uint32_t weights[Number], targets[Number];
  for (unsigned i = 0; i < Number; ++i) {
    weights[i] = arcs.has(i) ? graph.weights[arcs[i]] : 0;
    targets[i] = KnowsTargets && arcs.has(i) ? graph.targets[arcs[i]] : 0;
  }
  for (unsigned i = 0; i < Number; ++i) {
    const std::uint64_t key = key_of(weights[i], arcs[i]);
    if (arcs.has(i) && key < best.key) best = {key, targets[i]};
  }
}

template <bool KnowsTarget>
__device__ __forceinline__ void choose(const forest_ref& run, std::uint32_t vertex,
                                       const found_arc& best) {
  const bool is_isolated = best.key == no_key;
  const std::uint32_t arc = is_isolated ? no_arc : place_of(best.key);
  run.chosen[vertex] = arc;
  run.chains[vertex] = is_isolated   ? settled | finished | isolated
                       : KnowsTarget ? best.target
                                     : run.graph.targets[arc];
}

/// Leaves long rows, at most one per lane, to choose_of_chunks(). All lanes of the warp call it.
__device__ inline void cut(const forest_ref& run, const row& whole, bool is_long) {
  constexpr unsigned all_lanes = 0xffffffffu;
  using counter = atomic_ref<std::uint32_t, scope::device>;
  const unsigned rows = __ballot_sync(all_lanes, is_long);
  if (rows == 0) return;
  const std::uint32_t number = is_long ? (whole.length() + chunk_arcs - 1) / chunk_arcs : 0;
  const std::uint32_t up_to_lane = sum_up_to_lane(number);
  std::uint32_t taken = 0;
  if (lane_id() == 0)
    taken = counter(run.counters->long_rows)
                .fetch_add(static_cast<unsigned>(__popc(rows)), memory_order::relaxed);
  if (lane_id() == 31)
    taken = counter(run.counters->chunks).fetch_add(up_to_lane, memory_order::relaxed);
  const std::uint32_t slot = __shfl_sync(all_lanes, taken, 0) + lanes_below(rows);
  const std::uint32_t first = __shfl_sync(all_lanes, taken, 31) + up_to_lane - number;
  if (!is_long) return;
  run.long_row_keys[slot] = no_key;
  run.long_row_vertices[slot] = whole.vertex;
  for (std::uint32_t i = 0; i < number; ++i) {
    const std::uint32_t begin = whole.begin + i * chunk_arcs;
    const std::uint32_t end = i + 1 == number ? whole.end : begin + chunk_arcs;
    run.chunks[first + i] = chunk{whole.vertex, begin, end, slot};
  }
}

/// A thread for each vertex.
/// \tparam Batch arcs of a short row that a lane reads at the same time. With few_arcs it also
/// reads the targets, as most lie in the sectors of the chosen ones.
template <unsigned Batch>
__global__ void __launch_bounds__(block_threads) choose_lightest(forest_ref run) {
  assume_one_dimension();
  constexpr bool knows_targets = Batch == few_arcs;
  const std::uint32_t vertex = blockIdx.x * blockDim.x + threadIdx.x;
  const bool is_real = vertex < run.graph.vertices;
  const row mine = is_real ? row_of(run.graph, vertex) : row{};
  found_arc best;
  walk_rows<Batch>(
      mine,
      [&](const row&, const auto& arcs) { keep_lightest<knows_targets>(run.graph, arcs, best); },
      [&](const row& whole, unsigned lanes) {
        if (lanes == 1) {
          if (is_real && mine.length() <= short_row) choose<knows_targets>(run, whole.vertex, best);
        } else {
          for (unsigned step = lanes / 2; step > 0; step /= 2) {
            const std::uint64_t theirs =
                __shfl_xor_sync(0xffffffffu, best.key, static_cast<int>(step));
            best.key = theirs < best.key ? theirs : best.key;
          }
          if (whole.length() > 0 && lane_id() % lanes == 0) choose<false>(run, whole.vertex, best);
        }
        best = {};
      });
  cut(run, mine, mine.length() > long_row);
  if (run.row_of_tile != nullptr && mine.length() <= long_row)
    for (std::uint32_t tile = tile_behind(mine.begin); tile * arcs_of_tile < mine.end; ++tile)
      run.row_of_tile[tile] = vertex;
}

/// The chunks of long rows, by any number of warps.
__global__ void __launch_bounds__(block_threads) choose_of_chunks(forest_ref run) {
  assume_one_dimension();
  const std::uint32_t chunks = run.counters->chunks;
  const unsigned warps = gridDim.x * blockDim.x / 32;
  for (std::uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < chunks; i += warps) {
    const chunk part = run.chunks[i];
    if (run.row_of_tile != nullptr)
      for (std::uint32_t tile = tile_behind(part.begin) + lane_id(); tile * arcs_of_tile < part.end;
           tile += 32)
        run.row_of_tile[tile] = part.vertex;
    found_arc best;
    walk_chunk({part.vertex, 0, part.begin, part.end},
               [&](const row&, const auto& arcs) { keep_lightest<false>(run.graph, arcs, best); });
    const std::uint64_t key = lane_group::whole_warp().fold(
        best.key, [](std::uint64_t a, std::uint64_t b) { return a < b ? a : b; });
    if (lane_id() == 0)
      atomic_ref<std::uint64_t, scope::device>(run.long_row_keys[part.slot])
          .fetch_min(key, memory_order::relaxed);
  }
}

/// The long rows, by any number of threads.
__global__ void __launch_bounds__(block_threads) choose_of_long_rows(forest_ref run) {
  assume_one_dimension();
  const std::uint32_t rows = run.counters->long_rows;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < rows;
       i += gridDim.x * blockDim.x)
    choose<false>(run, run.long_row_vertices[i], {.key = run.long_row_keys[i]});
}

/// If two vertices have chosen each other, the smaller one is a root and drops its arc. That arc is
/// the other's, or one of the same weight between the same two. Roots are the components of the
/// light phase, numbered in vertex order. Each thread handles vertices_each vertices.
__global__ void __launch_bounds__(block_threads) number_roots(forest_ref run) {
  assume_one_dimension();
  auto& reservation = shared_storage<block_reservation>();
  const std::uint32_t first = first_item<vertices_each>(blockIdx.x * vertices_each * blockDim.x);
  std::uint32_t neighbours[vertices_each];
  bool is_root[vertices_each];
  for (unsigned i = 0; i < vertices_each; ++i) {
    const std::uint32_t vertex = first + i * 32;
    neighbours[i] = vertex < run.graph.vertices
                        ? shared_label(run.chains[vertex]).load(memory_order::relaxed)
                        : settled;
    is_root[i] = !is_settled(neighbours[i]) && vertex < neighbours[i];
  }
  unsigned number = 0;
  for (unsigned i = 0; i < vertices_each; ++i) {
    // The other vertex is the greater one and so no root: no thread changes its label.
    if (is_root[i])
      is_root[i] =
          shared_label(run.chains[neighbours[i]]).load(memory_order::relaxed) == first + i * 32;
    number += is_root[i];
  }
  places_in_order places(reservation.reserve(number, run.counters->phases[light].components[0]));
  for (unsigned i = 0; i < vertices_each; ++i) {
    const std::uint32_t place = places.take(is_root[i]);
    if (!is_root[i]) continue;
    const std::uint32_t vertex = first + i * 32;
    shared_label(run.chains[vertex]).store(settled | place, memory_order::relaxed);
    run.chosen[vertex] = no_arc;
  }
}

/// Finds the component of every vertex whose chain is short, and clears the record of every
/// component. Each thread handles vertices_each vertices.
__global__ void __launch_bounds__(block_threads)
    settle_vertices(forest_ref run, key_records records) {
  assume_one_dimension();
  const std::uint32_t first = blockIdx.x * vertices_each * blockDim.x + threadIdx.x;
  if (settle<vertices_each>(run.chains, run.labels, first, blockDim.x, run.graph.vertices))
    unsettled_pass(run.counters->unsettled_vertices).report(1);
  const std::uint32_t components = run.counters->phases[light].components[0];
  records.use_those_of(0);
  for (unsigned i = 0; i < vertices_each; ++i)
    if (first + i * blockDim.x < components) records.clear(first + i * blockDim.x);
}

/// Finds the component of the other vertices. Cooperative, with blocks of round_threads threads.
template <grid_barrier Barrier>
__global__ void __launch_bounds__(round_threads, round_blocks_per_sm)
    settle_other_vertices(forest_ref run, Barrier barrier, watchdog_ref watchdog) {
  assume_one_dimension();
  auto participant = barrier.join(watchdog);
  settle_long_chains(run.labels, run.graph.vertices,
                     unsettled_pass(run.counters->unsettled_vertices), participant);
}

}  // namespace finesync::mst
