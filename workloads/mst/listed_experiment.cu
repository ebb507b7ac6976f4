#include "listed_experiment.cuh"

#include <finesync/device/gpu.cuh>
#include <workloads/mst/first_round.cuh>
#include <workloads/mst/heavy_phase.cuh>

namespace finesync::mst {
namespace {

constexpr unsigned arcs_at_a_time = 8;

/// Arcs in one of `samples` samples, in ascending order of their weights, are light up to this one;
/// `samples`: all are.
unsigned rank_of(const setup& how, const resident_graph& graph) {
  if (how.light_percent == all_light || graph.arcs() == 0) return samples;
  const double edges = graph.arcs() / 2.0;
  const double share = how.light_percent / 100.0 * graph.vertices() / edges;
  constexpr double worth_filtering = 0.95;
  return share < worth_filtering ? static_cast<unsigned>(share * samples) : samples;
}

/// Long rows, at most, and as many chunks.
std::size_t long_rows_of(const resident_graph& graph) {
  return graph.arcs() / long_row;
}

}  // namespace

listed_experiment::listed_experiment(const setup& how)
    : forest_experiment(how),
      rank_(rank_of(how, graph())),
      labels_(graph().vertices()),
      chains_(graph().vertices()),
      component_labels_(std::size_t{graph().vertices()} + most_levels),
      number_in_heavy_(components()),
      even_edges_(graph().arcs() / 2),
      odd_edges_(graph().arcs() / 2),
      chunks_(long_rows_of(graph())),
      row_of_tile_(tile_behind(graph().arcs())),
      long_row_keys_(long_rows_of(graph())),
      long_row_vertices_(long_rows_of(graph())),
      live_rows_(is_filtered() ? graph().vertices() : 0),
      records_(2 * std::size_t{components()}) {}

bench::facts listed_experiment::ran() const {
  bench::facts ran = forest_experiment::ran();
  workload::add_fact(
      ran, "launches",
      is_filtered() ? 9 + launches_of(light) + launches_of(heavy) : 5 + launches_of(light));
  workload::add_fact(ran, "filtered", is_filtered());
  return ran;
}

void listed_experiment::begin() {
  counters_.reset();
}

void listed_experiment::start() {
  const run_ref run = ref();
  const launch_shape samplers{.threads_per_block = samples,
                              .shared_bytes = sizeof(sampling_storage)};
  const auto anywhere = [](auto* kernel) {
    return launch_shape{.blocks = max_resident_blocks(kernel, block_threads),
                        .threads_per_block = block_threads};
  };
  if (is_filtered()) launch_independent(find_threshold, samplers, run, unsigned{rank_});
  launch_independent(choose_lightest<arcs_at_a_time>, for_vertices(1), run);
  launch_independent(choose_of_chunks, anywhere(choose_of_chunks), run);
  launch_independent(choose_of_long_rows, anywhere(choose_of_long_rows), run);
  launch_independent(number_roots, for_vertices(vertices_each), run);
  launch_independent(settle_vertices, for_vertices(vertices_each), run, records());
  start_phase(light, run);
  if (!is_filtered()) return;
  launch_independent(number_for_heavy, anywhere(number_for_heavy), run, records());
  launch_independent(find_giant, samplers, run);
  launch_independent(list_live_rows, for_vertices(vertices_each), run);
  start_phase(heavy, run);
}

bool listed_experiment::is_filtered() const {
  return rank_ < samples;
}

run_ref listed_experiment::ref() const {
  return {.graph = graph().ref(),
          .labels = labels_.cells(),
          .chains = chains_.cells(),
          .chosen = chosen(),
          .component_labels = component_labels_.cells(),
          .number_in_heavy = number_in_heavy_.cells(),
          .even_edges = even_edges_.cells(),
          .odd_edges = odd_edges_.cells(),
          .chunks = chunks_.cells(),
          .row_of_tile = row_of_tile_.cells(),
          .long_row_keys = long_row_keys_.cells(),
          .long_row_vertices = long_row_vertices_.cells(),
          .live_rows = live_rows_.cells(),
          .counters = counters_.data()};
}

launch_shape listed_experiment::for_vertices(unsigned each) const {
  const unsigned of_block = each * block_threads;
  return {.blocks = (graph().vertices() + of_block - 1) / of_block,
          .threads_per_block = block_threads,
          .shared_bytes = each == 1 ? 0 : sizeof(block_reservation)};
}

}  // namespace finesync::mst
