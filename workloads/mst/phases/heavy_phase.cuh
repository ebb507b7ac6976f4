// The choice of light edges, and the steps between the phases. For one source, as first_round.cuh.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <inputs/random.cuh>
#include <workloads/mst/edges/block_reservation.cuh>
#include <workloads/mst/phases/forest_ref.cuh>

#include <cstdint>

namespace finesync::mst {

/// Arcs in a sample, one per thread of a block, to estimate a share of all arcs.
inline constexpr unsigned samples = 256;
inline constexpr std::uint32_t sampling_seed = 15;

__device__ __forceinline__ std::uint32_t sampled_arc(const graph_ref& graph, std::uint32_t stream) {
  return inputs::bounded(inputs::random32(sampling_seed, stream, threadIdx.x), graph.arcs);
}

/// Shared memory of the sampling kernels.
struct sampling_storage {
  cell<std::uint32_t> values[samples];
  cell<std::uint64_t> most_of_warps[samples / 32];
};

/// Sets the threshold to the sampled weight of this rank. One block. \param rank 0 to samples - 1.
__global__ void __launch_bounds__(samples) find_threshold(forest_ref run, unsigned rank) {
  assume_one_dimension();
  auto& weights = shared_storage<sampling_storage>().values;
  const std::uint32_t mine = run.graph.weights[sampled_arc(run.graph, 0)];
  weights[threadIdx.x] = mine;
  __syncthreads();
  unsigned less = 0;
  for (unsigned i = 0; i < samples; ++i) {
    const std::uint32_t other = weights[i];
    less += other < mine || (other == mine && i < threadIdx.x);
  }
  if (less == rank) run.counters->threshold = mine;
}

/// Numbers the components of the light phase's first level for the heavy phase, and clears the
/// heavy phase's records. Any number of threads.
__global__ void __launch_bounds__(block_threads)
    number_for_heavy(forest_ref run, key_records records) {
  assume_one_dimension();
  const run_counters::of_phase& counters = run.counters->phases[light];
  const std::uint32_t components = counters.components[0];
  const std::uint32_t remaining = counters.finished;
  records.use_those_of(0);
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < components;
       i += gridDim.x * blockDim.x) {
    const cell<std::uint32_t>* labels = run.component_labels;
    std::uint32_t label = end_of_chain(labels, i);
    for (unsigned level = 0; (label & finished) == 0; ++level) {
      labels += counters.components[level];
      label = end_of_chain(labels, number_of(label));
    }
    run.number_in_heavy[i] = number_of(label);
    if (i < remaining) records.clear(i);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) run.counters->phases[heavy].components[0] = remaining;
}

/// Finds the giant: the component at the heads of most of the samples. One block.
__global__ void __launch_bounds__(samples) find_giant(forest_ref run) {
  assume_one_dimension();
  auto& shared = shared_storage<sampling_storage>();
  const std::uint32_t vertex = run.graph.targets[sampled_arc(run.graph, 1)];
  const std::uint32_t mine = run.number_in_heavy[number_of(run.labels[vertex])];
  shared.values[threadIdx.x] = mine;
  __syncthreads();
  std::uint32_t same = 0;
  for (unsigned i = 0; i < samples; ++i) same += shared.values[i] == mine;
  const auto greater = [](std::uint64_t a, std::uint64_t b) { return a < b ? b : a; };
  const std::uint64_t most =
      lane_group::whole_warp().fold(std::uint64_t{same} << 32 | mine, greater);
  if (lane_id() == 0) shared.most_of_warps[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint64_t giant = 0;
  for (unsigned warp = 0; warp < samples / 32; ++warp)
    giant = greater(giant, shared.most_of_warps[warp]);
  run.counters->giant = static_cast<std::uint32_t>(giant);
}

/// Lists, in vertex order, the vertices outside the giant that have arcs and no chunks. Each thread
/// handles vertices_each vertices.
__global__ void __launch_bounds__(block_threads) list_live_rows(forest_ref run) {
  assume_one_dimension();
  auto& reservation = shared_storage<block_reservation>();
  const std::uint32_t giant = run.counters->giant;
  const std::uint32_t first = first_item<vertices_each>(blockIdx.x * vertices_each * blockDim.x);
  bool is_live[vertices_each];
  unsigned number = 0;
  for (unsigned i = 0; i < vertices_each; ++i) {
    const std::uint32_t vertex = first + i * 32;
    is_live[i] = vertex < run.graph.vertices;
    if (!is_live[i]) continue;
    const std::uint32_t length = row_of(run.graph, vertex).length();
    is_live[i] = length != 0 && length <= long_row &&
                 run.number_in_heavy[number_of(run.labels[vertex])] != giant;
    number += is_live[i];
  }
  places_in_order places(reservation.reserve(number, run.counters->live_rows));
  for (unsigned i = 0; i < vertices_each; ++i) {
    const std::uint32_t place = places.take(is_live[i]);
    if (is_live[i]) run.live_rows[place] = first + i * 32;
  }
}

}  // namespace finesync::mst
