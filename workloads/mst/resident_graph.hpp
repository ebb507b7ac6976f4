// A graph in device memory, the same for all versions.
#pragma once

#include <finesync/device/buffer.cuh>
#include <inputs/graphs/graph.hpp>
#include <workloads/mst/graph_ref.cuh>
#include <workloads/mst/setup.hpp>

#include <cstdint>
#include <memory>

namespace finesync::mst {

class resident_graph {
 public:
  /// \throws bench::infeasible for more vertices or arcs than there are numbers for.
  explicit resident_graph(inputs::graph all);

  std::uint32_t vertices() const { return host_.vertices(); }
  std::uint32_t arcs() const { return host_.arcs(); }
  /// As it is on the device: without directions, loops and all but the lightest of repeated edges.
  const inputs::graph& host() const { return host_; }
  /// Of a minimum spanning forest, by Kruskal's algorithm.
  std::uint64_t least_weight() const { return least_weight_; }
  graph_ref ref() const {
    return {vertices(), arcs(), rows_.data(), targets_.data(), weights_.data()};
  }

 private:
  inputs::graph host_;
  std::uint64_t least_weight_;
  buffer<std::uint32_t> rows_;
  buffer<std::uint32_t> targets_;
  buffer<std::uint32_t> weights_;
};

/// That of a problem. The last one is kept, as the points of a sweep mostly share it. \throws what
/// load_graph() and resident_graph() throw.
std::shared_ptr<const resident_graph> graph_of(const problem& what);

}  // namespace finesync::mst
