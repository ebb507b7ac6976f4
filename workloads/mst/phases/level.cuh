// A round of a phase: its components and its edge list.
#pragma once

#include <workloads/mst/edges/block_reservation.cuh>
#include <workloads/mst/phases/forest_ref.cuh>

#include <cstdint>

namespace finesync::mst {

/// Edges that a thread loads at the same time.
inline constexpr unsigned edges_each = 2;

struct round_storage {
  static constexpr unsigned staged = 160;
  edge_stage<staged> stages[round_threads / 32];
  block_reservation reservation;
};

/// A round: its size, and the numbers of its components.
struct level {
  unsigned number;
  std::uint32_t components;
  std::uint32_t edges;
  std::uint32_t giant;          ///< no_component if none is spared
  cell<std::uint32_t>* labels;  ///< labels of these components
  cell<std::uint32_t>* chains;  ///< labels before they are settled; may equal `labels`
};

/// Chains of a level are settled first. Below this number of components, which bounds a chain's
/// length, their ends are found as needed: a walk through the SM's cache costs less than a barrier.
inline constexpr std::uint32_t worth_settling = 1u << 8;

__device__ inline bool is_worth_settling(const level& at) {
  return at.labels != at.chains;
}

/// A level of a phase, once all earlier levels are complete. \param labels labels of its
/// components.
__device__ inline level level_at(const forest_ref& run, phase which, unsigned number,
                                 std::uint32_t giant, cell<std::uint32_t>* labels) {
  const run_counters::of_phase& counters = run.counters->phases[which];
  const std::uint32_t components = counters.components[number];
  const std::uint32_t edges = counters.edges[number];
  // Without edges all components are finished at once. Nothing is settled after that.
  const bool is_settled_later = edges != 0 && components >= worth_settling;
  return {.number = number,
          .components = components,
          .edges = edges,
          .giant = giant,
          .labels = labels,
          .chains = is_settled_later ? run.chains : labels};
}
/// The same, found from the first level. \param giant giant of the phase's first level.
__device__ inline level level_of(const forest_ref& run, phase which, unsigned number,
                                 std::uint32_t giant = no_component) {
  cell<std::uint32_t>* labels = run.component_labels;
  for (unsigned i = 0; i < number; ++i) {
    if (giant != no_component) giant = number_of(end_of_chain(labels, giant));
    labels += run.counters->phases[which].components[i];
  }
  return level_at(run, which, number, giant, labels);
}

/// Loads some of a level's edges, between components of the next level.
/// \param first, stride places in the list.
/// \param is_kept whether the edge exists and has two different ends.
template <unsigned Number>
__device__ __forceinline__ void load_edges(const forest_ref& run, const level& at,
                                           std::uint32_t first, std::uint32_t stride,
                                           edge (&found)[Number], bool (&is_kept)[Number]) {
  const cell<edge>* list = run.edges_of(at.number);
  for (unsigned i = 0; i < Number; ++i) {
    is_kept[i] = first + i * stride < at.edges;
    found[i] = {};
    if (is_kept[i]) found[i] = list[first + i * stride];
  }
  // Most chains have one label, so these loads are issued together.
  std::uint32_t from[Number], to[Number];
  for (unsigned i = 0; i < Number; ++i) {
    from[i] = is_kept[i] ? std::uint32_t{at.labels[found[i].from]} : settled;
    to[i] = is_kept[i] ? std::uint32_t{at.labels[found[i].to]} : settled;
  }
  for (unsigned i = 0; i < Number; ++i) {
    found[i].from = number_of(end_from(at.labels, from[i]));
    found[i].to = number_of(end_from(at.labels, to[i]));
    is_kept[i] = is_kept[i] && found[i].from != found[i].to;
  }
}

}  // namespace finesync::mst
