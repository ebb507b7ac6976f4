// Finds the light edges between the components of the first round by the weights of all arcs, lists
// them, and proposes them to both components.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <workloads/mst/edges/edge_list.cuh>
#include <workloads/mst/phases/forest_ref.cuh>

#include <cstdint>

namespace finesync::mst {

/// Arcs that a lane reads at the same time: their weights, and their other data.
inline constexpr unsigned weights_each = 8, light_arcs_each = 4;

struct weight_listing_storage {
  static constexpr unsigned staged = 192;
  struct of_warp {
    warp_stage<std::uint64_t, 32 * weights_each> light_arcs;  ///< key_of(weight, arc)
    edge_stage<staged> edges;
  };
  of_warp warps[block_threads / 32];
};

/// Adds a lane's light arcs to the list if they begin at the smaller end of an edge between two
/// components. All lanes of the warp call it.
template <unsigned Number, class Writer>
__device__ __forceinline__ void list_light_arcs(const forest_ref& run, bool (&wanted)[Number],
                                                const std::uint64_t (&keys)[Number],
                                                Writer& writer) {
  std::uint32_t arcs[Number], vertices[Number], targets[Number];
  edge edges[Number];
  for (unsigned i = 0; i < Number; ++i) {
    arcs[i] = place_of(keys[i]);
    targets[i] = wanted[i] ? run.graph.targets[arcs[i]] : 0;
  }
  find_rows(run.graph, run.row_of_tile, arcs, wanted, vertices);
  for (unsigned i = 0; i < Number; ++i) {
    wanted[i] = wanted[i] && vertices[i] < targets[i];
    edges[i] = {wanted[i] ? number_of(run.labels[vertices[i]]) : 0,
                wanted[i] ? number_of(run.labels[targets[i]]) : 0, weight_of(keys[i]), arcs[i]};
  }
  for (unsigned i = 0; i < Number; ++i) wanted[i] = wanted[i] && edges[i].from != edges[i].to;
  writer.add(wanted, edges);
}

/// Any number of blocks. Weights are read in whole cache lines, independent of the rows. Only light
/// arcs need a search for their row. If most arcs are light, a walk by rows is cheaper.
template <class Minimum>
__global__ void __launch_bounds__(block_threads, 3)
    list_by_weights(forest_ref run, Minimum minima, watchdog_ref watchdog) {
  assume_one_dimension();
  auto& mine = shared_storage<weight_listing_storage>().warps[threadIdx.x / 32];
  const std::uint32_t threshold = run.counters->threshold;
  minima.use_those_of(0);
  edge_writer<Minimum, weight_listing_storage::staged> writer(mine.edges, run.even_edges,
                                                              run.counters->phases[light].edges[0],
                                                              minima, no_component, watchdog);
  staged_items<std::uint64_t, 32 * weights_each> light_arcs(mine.light_arcs);
  const auto list = [&](unsigned number) {
    for (unsigned first = 0; first < number; first += 32 * light_arcs_each) {
      std::uint64_t keys[light_arcs_each];
      bool wanted[light_arcs_each];
      for (unsigned i = 0; i < light_arcs_each; ++i) {
        const unsigned place = first + 32 * i + lane_id();
        wanted[i] = place < number;
        keys[i] = wanted[i] ? std::uint64_t{mine.light_arcs[place]} : 0;
      }
      list_light_arcs(run, wanted, keys, writer);
    }
  };

  const std::uint32_t arcs_of_all = gridDim.x * blockDim.x * weights_each;
  const std::uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (std::uint32_t first = warp * 32 * weights_each; first < run.graph.arcs;
       first += arcs_of_all) {
    const some_arcs<weights_each> arcs{first + lane_id(), 32, run.graph.arcs};
    std::uint32_t weights[weights_each];
    std::uint64_t keys[weights_each];
    bool is_light[weights_each];
    for (unsigned i = 0; i < weights_each; ++i)
      weights[i] = arcs.has(i) ? run.graph.weights[arcs[i]] : 0;
    for (unsigned i = 0; i < weights_each; ++i) {
      is_light[i] = arcs.has(i) && weights[i] <= threshold;
      keys[i] = key_of(weights[i], arcs[i]);
    }
    light_arcs.add(is_light, keys, list);
  }
  light_arcs.flush(list);
  writer.close();
}

}  // namespace finesync::mst
