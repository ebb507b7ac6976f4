#include "edge_list_experiment.cuh"

#include <finesync/host/gpu.cuh>
#include <finesync/host/launch_graph.cuh>
#include <workloads/mst/phases/first_round.cuh>
#include <workloads/mst/phases/heavy_phase.cuh>

namespace finesync::mst {
namespace {

/// Rank of the threshold among the `samples` sampled weights in ascending order; arcs up to it are
/// light. `samples`: all arcs are light.
unsigned rank_of(const run_config& config, const resident_graph& graph) {
  if (config.light_percent == all_light || graph.arcs() == 0) return samples;
  const double edges = graph.arcs() / 2.0;
  const double share = config.light_percent / 100.0 * graph.vertices() / edges;
  constexpr double worth_filtering = 0.95;
  return share < worth_filtering ? static_cast<unsigned>(share * samples) : samples;
}

/// Upper bound of the number of long rows, and of the number of chunks.
std::size_t long_rows_of(const resident_graph& graph) {
  return graph.arcs() / long_row;
}

std::uint32_t max_paired_of(std::uint32_t components) {
  std::uint32_t most = 512;  // with more pairs, the records fill much of the L2
  while (most != 0 && most + most * most > components) --most;
  return most;
}

const launch_shape samplers{.threads_per_block = samples, .shared_bytes = sizeof(sampling_storage)};

/// As many blocks as the GPU holds.
template <class... Parameters>
launch_shape anywhere(void (*kernel)(Parameters...)) {
  return {.blocks = max_resident_blocks(kernel, block_threads), .threads_per_block = block_threads};
}

}  // namespace

edge_list_experiment::edge_list_experiment(const run_config& config)
    : forest_experiment(config),
      rank_(rank_of(config, graph())),
      labels_(graph().vertices()),
      chains_(graph().vertices()),
      component_labels_(std::size_t{graph().vertices()} + max_levels),
      number_in_heavy_(components()),
      even_edges_(graph().arcs() / 2),
      odd_edges_(graph().arcs() / 2),
      chunks_(long_rows_of(graph())),
      row_of_tile_(is_filtered() ? tile_behind(graph().arcs()) : 0),
      long_row_keys_(long_rows_of(graph())),
      long_row_vertices_(long_rows_of(graph())),
      live_rows_(is_filtered() ? graph().vertices() : 0),
      records_(2 * std::size_t{components()}),
      settling_(settle_other_vertices<autotuned_barrier::ref_type>) {}

bench::parameters edge_list_experiment::effective_parameters() const {
  bench::parameters effective = forest_experiment::effective_parameters();
  workload::add_parameter(
      effective, "launches",
      is_filtered() ? 10 + launches_of(light) + launches_of(heavy) : 6 + launches_of(light));
  workload::add_parameter(effective, "filtered", is_filtered());
  return effective;
}

void edge_list_experiment::begin() {
  counters_.reset();
  settling_.reset();
}

template <class Queue>
void edge_list_experiment::launch_before_light(Queue& in) const {
  const forest_ref run = ref();
  if (is_filtered()) launch_independent(in, find_threshold, samplers, run, unsigned{rank_});
  const bool has_short_rows = graph().arcs() < 3.5 * graph().vertices();
  launch_independent(in, has_short_rows ? choose_lightest<few_arcs> : choose_lightest<many_arcs>,
                     for_vertices(1), run);
  launch_independent(in, choose_of_chunks, anywhere(choose_of_chunks), run);
  launch_independent(in, choose_of_long_rows, anywhere(choose_of_long_rows), run);
  launch_independent(in, number_roots, for_vertices(vertices_each), run);
  launch_independent(in, settle_vertices, for_vertices(vertices_each), run, records());
  launch_cooperative(in, settle_other_vertices<autotuned_barrier::ref_type>, settling_.shape(), run,
                     settling_.barrier(), timeout());
}
template void edge_list_experiment::launch_before_light(const stream&) const;
template void edge_list_experiment::launch_before_light(launch_graph&) const;

template <class Queue>
void edge_list_experiment::launch_before_heavy(Queue& in) const {
  const forest_ref run = ref();
  launch_independent(in, number_for_heavy, anywhere(number_for_heavy), run, records());
  launch_independent(in, find_giant, samplers, run);
  launch_independent(in, list_live_rows, for_vertices(vertices_each), run);
}
template void edge_list_experiment::launch_before_heavy(const stream&) const;
template void edge_list_experiment::launch_before_heavy(launch_graph&) const;

bool edge_list_experiment::is_filtered() const {
  return rank_ < samples;
}

forest_ref edge_list_experiment::ref() const {
  return {.graph = graph().ref(),
          .labels = labels_.device_data(),
          .chains = chains_.device_data(),
          .chosen = chosen(),
          .component_labels = component_labels_.device_data(),
          .number_in_heavy = number_in_heavy_.device_data(),
          .even_edges = even_edges_.device_data(),
          .odd_edges = odd_edges_.device_data(),
          .chunks = chunks_.device_data(),
          .row_of_tile = is_filtered() ? row_of_tile_.device_data() : nullptr,
          .long_row_keys = long_row_keys_.device_data(),
          .long_row_vertices = long_row_vertices_.device_data(),
          .live_rows = live_rows_.device_data(),
          .max_paired = max_paired_of(components()),
          .counters = counters_.device_data()};
}

launch_shape edge_list_experiment::for_vertices(unsigned each) const {
  const unsigned of_block = each * block_threads;
  return {.blocks = (graph().vertices() + of_block - 1) / of_block,
          .threads_per_block = block_threads,
          .shared_bytes = each == 1 ? 0 : sizeof(block_reservation)};
}

}  // namespace finesync::mst
