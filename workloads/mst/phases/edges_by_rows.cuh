// Finds the edges between the components of a phase's first level row by row, lists them, and
// proposes them to both components.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <workloads/mst/edges/edge_list.cuh>
#include <workloads/mst/phases/forest_ref.cuh>

#include <cstdint>

namespace finesync::mst {

/// All arcs, if none is heavy; each edge from its smaller end.
class all_arcs {
 public:
  static constexpr phase which = light;

  __device__ explicit all_arcs(const forest_ref& run) : run_(run) {}

  __device__ std::uint32_t rows() const { return run_.graph.vertices; }
  __device__ row operator[](std::uint32_t i) const {
    return row_of(run_.graph, i, component_of(i));
  }
  __device__ std::uint32_t component_of(std::uint32_t vertex) const {
    return number_of(run_.labels[vertex]);
  }
  /// The component without proposals.
  __device__ std::uint32_t spared() const { return no_component; }
  /// Whether any arc of that component's vertices may be wanted.
  __device__ bool looks_at(std::uint32_t /*component*/) const { return true; }
  /// Whether an arc of this weight may be wanted.
  __device__ bool has(std::uint32_t /*weight*/) const { return true; }
  __device__ bool may_want(const arc_of_row& from, std::uint32_t target) const {
    return target > from.vertex;
  }
  /// Whether an arc is wanted. \param target, component of the arc's head.
  __device__ bool wants(const arc_of_row& from, std::uint32_t /*target*/,
                        std::uint32_t component) const {
    return component != from.component;
  }

 private:
  const forest_ref& run_;
};

/// Heavy arcs of rows outside the giant; each edge from its smaller end, but edges to the giant
/// from the other end.
class heavy_arcs {
 public:
  static constexpr phase which = heavy;

  __device__ explicit heavy_arcs(const forest_ref& run)
      : run_(run), threshold_(run.counters->threshold), giant_(run.counters->giant) {}

  __device__ std::uint32_t rows() const { return run_.counters->live_rows; }
  __device__ row operator[](std::uint32_t i) const {
    const std::uint32_t vertex = run_.live_rows[i];
    return row_of(run_.graph, vertex, component_of(vertex));
  }
  __device__ std::uint32_t component_of(std::uint32_t vertex) const {
    return run_.number_in_heavy[number_of(run_.labels[vertex])];
  }
  __device__ std::uint32_t spared() const { return giant_; }
  __device__ bool looks_at(std::uint32_t component) const { return component != giant_; }
  __device__ bool has(std::uint32_t weight) const { return weight > threshold_; }
  __device__ bool may_want(const arc_of_row& /*from*/, std::uint32_t /*target*/) const {
    return true;
  }
  __device__ bool wants(const arc_of_row& from, std::uint32_t target,
                        std::uint32_t component) const {
    return component != from.component && (target > from.vertex || component == giant_);
  }

 private:
  const forest_ref& run_;
  std::uint32_t threshold_;
  std::uint32_t giant_;
};

/// Arcs that a lane reads at the same time.
inline constexpr unsigned arcs_each = 4;

struct row_listing_storage {
  static constexpr unsigned staged = 256;
  edge_stage<staged> stages[block_threads / 32];
};

/// Adds the wanted arcs; all lanes of the warp call it.
template <unsigned Number, class Arcs, class Writer>
__device__ __forceinline__ void list_arcs(const forest_ref& run, const Arcs& source,
                                          const arc_of_row (&arcs)[Number], Writer& writer) {
  std::uint32_t weights[Number], targets[Number];
  bool wanted[Number];
  edge edges[Number];
  for (unsigned i = 0; i < Number; ++i)
    weights[i] = arcs[i].is_real ? run.graph.weights[arcs[i].arc] : 0;
  for (unsigned i = 0; i < Number; ++i) {
    wanted[i] = arcs[i].is_real && source.has(weights[i]);
    targets[i] = wanted[i] ? run.graph.targets[arcs[i].arc] : 0;
  }
  for (unsigned i = 0; i < Number; ++i) {
    wanted[i] = wanted[i] && source.may_want(arcs[i], targets[i]);
    edges[i] = {arcs[i].component, wanted[i] ? source.component_of(targets[i]) : 0, weights[i],
                arcs[i].arc};
  }
  for (unsigned i = 0; i < Number; ++i)
    wanted[i] = wanted[i] && source.wants(arcs[i], targets[i], edges[i].to);
  writer.add(wanted, edges);
}

/// Any number of blocks. Rows differ in length, so warps take some rows at a time.
/// \tparam Arcs all_arcs or heavy_arcs.
template <class Arcs, class Minimum>
__global__ void __launch_bounds__(block_threads, 4)
    list_by_rows(forest_ref run, Minimum minima, watchdog_ref watchdog) {
  assume_one_dimension();
  constexpr unsigned most_at_a_time = 16, turns = 8;
  auto& shared = shared_storage<row_listing_storage>();
  const Arcs source(run);
  run_counters::of_phase& counters = run.counters->phases[Arcs::which];
  minima.use_those_of(0);
  edge_writer<Minimum, row_listing_storage::staged> writer(shared.stages[threadIdx.x / 32],
                                                           run.even_edges, counters.edges[0],
                                                           minima, source.spared(), watchdog);
  const auto list = [&](const arc_of_row(&arcs)[arcs_each]) {
    list_arcs(run, source, arcs, writer);
  };

  const unsigned warps = gridDim.x * blockDim.x / 32;
  const std::uint32_t chunks = run.counters->chunks;
  for (std::uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < chunks; i += warps) {
    const chunk part = run.chunks[i];
    const std::uint32_t component = source.component_of(part.vertex);
    if (!source.looks_at(component)) continue;
    walk_chunk({part.vertex, component, part.begin, part.end},
               [&](const row& whole, const some_arcs<arcs_each>& arcs) {
                 arc_of_row found[arcs_each];
                 for (unsigned k = 0; k < arcs_each; ++k)
                   found[k] = {whole.vertex, whole.component, arcs[k], arcs.has(k)};
                 list(found);
               });
  }

  const std::uint32_t rows = source.rows();
  const std::uint32_t tiles = (rows + 31) / 32;
  const std::uint32_t fair = tiles / (warps * turns);
  const std::uint32_t at_a_time = fair < 1 ? 1 : fair < most_at_a_time ? fair : most_at_a_time;
  while (true) {
    std::uint32_t first = 0;
    if (lane_id() == 0)
      first = atomic_ref<std::uint32_t, scope::device>(counters.tiles_taken)
                  .fetch_add(at_a_time, memory_order::relaxed);
    first = __shfl_sync(0xffffffffu, first, 0);
    if (first >= tiles) break;
    // The next rows are loaded before the previous rows are walked.
    const std::uint32_t end = first + at_a_time < tiles ? (first + at_a_time) * 32 : rows;
    const auto row_at = [&](std::uint32_t i) { return i < end ? source[i] : row{}; };
    row next = row_at(first * 32 + lane_id());
    for (std::uint32_t i = first * 32; i < end; i += 32) {
      row mine = next;
      next = row_at(i + 32 + lane_id());
      if (mine.length() > long_row) mine.end = mine.begin;
      walk_arcs<arcs_each>(mine, list);
    }
  }
  writer.close();
}

}  // namespace finesync::mst
