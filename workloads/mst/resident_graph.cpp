#include "resident_graph.hpp"

#include <bench/experiment.hpp>
#include <inputs/graphs/load.hpp>
#include <workloads/common/inputs/last_input.hpp>

#include <utility>

namespace finesync::mst {
namespace {

inputs::graph checked(inputs::graph all) {
  if (all.vertices() > max_vertices || all.arcs() > max_arcs)
    throw bench::infeasible("2^30 vertices, or 2^31 arcs, are too many");
  return all;
}

}  // namespace

resident_graph::resident_graph(inputs::graph all)
    : host_(inputs::undirected(checked(std::move(all)))),
      lightest_(graph_reference::lightest_forest(host_)),
      check_(host_, lightest_.components),
      rows_(host_.first.size()),
      targets_(host_.targets.size()),
      weights_(host_.weights.size()) {
  rows_.keep_copy_of(host_.first);
  targets_.keep_copy_of(host_.targets);
  weights_.keep_copy_of(host_.weights);
}

std::shared_ptr<const resident_graph> graph_of(const problem& what) {
  return workload::last_input(what.input, [&] {
    return std::make_shared<const resident_graph>(inputs::load_graph(what.input));
  });
}

}  // namespace finesync::mst
