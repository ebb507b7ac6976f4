// A graph in device memory, the same for all versions.
#pragma once

#include <finesync/host/buffer.cuh>
#include <inputs/graphs/graph.hpp>
#include <workloads/graph_reference/spanning_forest.hpp>
#include <workloads/mst/graph_ref.cuh>
#include <workloads/mst/run_config.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace finesync::mst {

class resident_graph {
 public:
  /// \throws bench::infeasible if the graph has more vertices or arcs than there are numbers.
  explicit resident_graph(inputs::graph all);
  resident_graph(const resident_graph&) = delete;
  resident_graph& operator=(const resident_graph&) = delete;

  std::uint32_t vertices() const { return host_.vertices(); }
  std::uint32_t arcs() const { return host_.arcs(); }
  /// Weight of a minimum spanning forest, by Kruskal's algorithm.
  std::uint64_t least_weight() const { return lightest_.weight; }
  /// See forest_check.
  std::optional<std::string> fault_of(std::span<const std::uint32_t> arcs) const {
    return check_.fault_of(arcs);
  }
  std::uint64_t weight_of(std::span<const std::uint32_t> arcs) const {
    return check_.weight_of(arcs);
  }
  graph_ref ref() const {
    return {vertices(), arcs(), rows_.raw_pointer(), targets_.raw_pointer(),
            weights_.raw_pointer()};
  }

 private:
  inputs::graph host_;  ///< simple, as on the device: the lightest of repeated edges
  graph_reference::spanning_forest lightest_;
  graph_reference::forest_check check_;
  buffer<std::uint32_t> rows_;
  buffer<std::uint32_t> targets_;
  buffer<std::uint32_t> weights_;
};

/// The graph of a problem. The last graph is kept, as most points of a sweep share it. \throws as
/// load_graph() and resident_graph() do.
std::shared_ptr<const resident_graph> graph_of(const problem& what);

}  // namespace finesync::mst
