#include "edge_list_experiment.cuh"

#include <finesync/host/gpu.cuh>
#include <finesync/host/launch_graph.cuh>
#include <workloads/mst/phases/first_round.cuh>
#include <workloads/mst/phases/heavy_phase.cuh>

namespace finesync::mst {
namespace {

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

std::uint32_t most_paired_of(std::uint32_t components) {
  std::uint32_t most = 512;  // of more pairs than that the records fill much of the L2
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
      row_of_tile_(is_filtered() ? tile_behind(graph().arcs()) : 0),
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

template <class Queue>
void listed_experiment::launch_before_light(Queue& in) const {
  const run_ref run = ref();
  if (is_filtered()) launch_independent(in, find_threshold, samplers, run, unsigned{rank_});
  const bool has_short_rows = graph().arcs() < 3.5 * graph().vertices();
  launch_independent(in, has_short_rows ? choose_lightest<few_arcs> : choose_lightest<many_arcs>,
                     for_vertices(1), run);
  launch_independent(in, choose_of_chunks, anywhere(choose_of_chunks), run);
  launch_independent(in, choose_of_long_rows, anywhere(choose_of_long_rows), run);
  launch_independent(in, number_roots, for_vertices(vertices_each), run);
  launch_independent(in, settle_vertices, for_vertices(vertices_each), run, records());
}
template void listed_experiment::launch_before_light(const stream&) const;
template void listed_experiment::launch_before_light(launch_graph&) const;

template <class Queue>
void listed_experiment::launch_before_heavy(Queue& in) const {
  const run_ref run = ref();
  launch_independent(in, number_for_heavy, anywhere(number_for_heavy), run, records());
  launch_independent(in, find_giant, samplers, run);
  launch_independent(in, list_live_rows, for_vertices(vertices_each), run);
}
template void listed_experiment::launch_before_heavy(const stream&) const;
template void listed_experiment::launch_before_heavy(launch_graph&) const;

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
          .row_of_tile = is_filtered() ? row_of_tile_.cells() : nullptr,
          .long_row_keys = long_row_keys_.cells(),
          .long_row_vertices = long_row_vertices_.cells(),
          .live_rows = live_rows_.cells(),
          .most_paired = most_paired_of(components()),
          .counters = counters_.data()};
}

launch_shape listed_experiment::for_vertices(unsigned each) const {
  const unsigned of_block = each * block_threads;
  return {.blocks = (graph().vertices() + of_block - 1) / of_block,
          .threads_per_block = block_threads,
          .shared_bytes = each == 1 ? 0 : sizeof(block_reservation)};
}

}  // namespace finesync::mst
