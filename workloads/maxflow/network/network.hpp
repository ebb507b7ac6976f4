// Owner of a network in device memory: its arcs, by node, and the state of a run.
#pragma once

#include <finesync/host/buffer.cuh>
#include <inputs/graphs/flow_network.hpp>
#include <workloads/maxflow/network/network.cuh>
#include <workloads/maxflow/run_config.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace finesync::maxflow {

class network {
 public:
  /// \throws bench::infeasible for more nodes, arcs or excess than their words hold.
  explicit network(inputs::flow_network all);

  const inputs::flow_network& input() const { return input_; }

  /// Sets no flow, and every node to the greatest height and no excess.
  void reset();
  network_ref ref() const;

  /// The residual capacity of each arc after a run.
  std::vector<std::uint32_t> residuals() const;

 private:
  inputs::flow_network input_;
  bool has_long_rows_ = false;  ///< other than those of source and sink
  buffer<std::uint32_t> rows_;
  buffer<arc_end> ends_;
  buffer<std::uint64_t> capacities_;  ///< of an arc and its mate
  buffer<std::uint64_t> pairs_;
  buffer<std::uint64_t> words_;
};

/// The network of a problem. The last network is kept, as most points of a sweep share it.
/// \throws as network() does, and inputs::input_error.
std::shared_ptr<network> network_of(const problem& what);

}  // namespace finesync::maxflow
