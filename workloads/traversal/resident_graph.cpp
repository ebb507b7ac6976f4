#include "resident_graph.hpp"

#include <bench/experiment.hpp>
#include <inputs/graphs/load.hpp>
#include <workloads/common/inputs/last_input.hpp>
#include <workloads/graph_reference/shortest_paths.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace finesync::traversal {
namespace {

inputs::graph checked(inputs::graph all) {
  if (all.vertices() == 0) throw bench::infeasible("a graph without vertices has no source");
  return all;
}

}  // namespace

resident_graph::resident_graph(inputs::graph all, bool weighted)
    : host_(checked(std::move(all))),
      weighted_(weighted),
      usual_source_(graph_reference::usual_source(host_)),
      rows_(host_.first.size()),
      targets_(host_.targets.size()),
      weights_(weighted ? host_.weights.size() : 0) {
  rows_.keep_copy_of(host_.first);
  targets_.keep_copy_of(host_.targets);
  if (!weighted || host_.weights.empty()) return;
  weights_.keep_copy_of(host_.weights);
  const std::uint64_t sum =
      std::accumulate(host_.weights.begin(), host_.weights.end(), std::uint64_t{0});
  heaviest_ = std::max(1u, std::ranges::max(host_.weights));
  mean_weight_ = std::max(1u, static_cast<std::uint32_t>((sum + arcs() - 1) / arcs()));
}

std::uint32_t resident_graph::source_of(std::optional<std::uint32_t> number) const {
  const std::uint32_t source = number ? *number - host_.first_number : usual_source_;
  if (source >= vertices())
    throw bench::infeasible(fmt::format("the graph has no vertex {}, but {} to {}", *number,
                                        number_of(0), number_of(vertices() - 1)));
  if (!weighted_ || expected_source_ == source) return source;
  if (!graph_reference::distances_fit(host_, source))
    throw bench::infeasible("distances could exceed 32 bits");
  expected_source_ = source;
  return source;
}

resident_graph::extent resident_graph::reached(std::span<const std::uint32_t> distances) const {
  extent seen;
  std::uint32_t farthest = 0;
  for (std::uint32_t vertex = 0; vertex < vertices(); ++vertex) {
    if (distances[vertex] == graph_reference::unreached) continue;
    ++seen.vertices;
    seen.arcs += host_.first[vertex + 1] - host_.first[vertex];
    farthest = std::max(farthest, distances[vertex]);
  }
  seen.rounds = std::max(seen.arcs != 0 ? 1u : 0u,
                         farthest / heaviest_ + (farthest % heaviest_ != 0 ? 1u : 0u));
  return seen;
}

std::optional<std::string> resident_graph::fault_of(
    std::uint32_t source, std::span<const std::uint32_t> distances) const {
  return graph_reference::fault_of_distances(host_, source, weighted_, distances);
}

resident_graph::turned_rows::turned_rows(const inputs::graph& turned)
    : rows(turned.first.size()), targets(turned.targets.size()) {
  rows.keep_copy_of(turned.first);
  targets.keep_copy_of(turned.targets);
}

graph_ref resident_graph::incoming() const {
  if (!host_.is_simple && !turned_) turned_.emplace(inputs::transposed(host_));
  if (!turned_) return {vertices(), rows_.raw_pointer(), targets_.raw_pointer(), nullptr};
  return {vertices(), turned_->rows.raw_pointer(), turned_->targets.raw_pointer(), nullptr};
}

std::shared_ptr<const resident_graph> graph_of(const std::string& input, bool weighted) {
  return workload::last_input(std::pair(input, weighted), [&] {
    return std::make_shared<const resident_graph>(inputs::load_graph(input), weighted);
  });
}

}  // namespace finesync::traversal
