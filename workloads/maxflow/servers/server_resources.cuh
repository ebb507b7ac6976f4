// The device state that the kinds of servers share, and the rings that they need.
#pragma once

#include "node_messages.cuh"

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/server/server_config.cuh>
#include <workloads/maxflow/flow_experiment.cuh>
#include <workloads/maxflow/run_config.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace finesync::maxflow {

/// \tparam SlotsPerNode slots of a ring for each node of its server, at least.
template <unsigned SlotsPerNode>
class server_resources : public lock_resources {
 protected:
  server_resources(std::size_t nodes, const run_config& options, unsigned blocks)
      : config_(config_of(nodes, options, blocks)) {}

  /// The thread that ends the work counts as the one client that the servers wait for.
  static server_config config_of(std::size_t nodes, const run_config& options, unsigned blocks) {
    const std::size_t of_server = nodes / std::max(blocks, 1u) + 1;
    const auto least =
        static_cast<unsigned>(std::max<std::size_t>(options.ring, SlotsPerNode * of_server));
    server_config config{.servers = blocks, .clients = 1, .ring = std::bit_ceil(least)};
    check(config);
    return config;
  }
  /// The servers of a grid before the nodes are known, which decide on the size of rings only.
  /// \throws bench::infeasible if the number of blocks is left open.
  static server_config config_of(const run_config& options) {
    if (options.blocks_per_sm == 0) throw bench::infeasible("servers need a number of blocks");
    return config_of(0, options, options.blocks_per_sm * static_cast<unsigned>(current_gpu().sms));
  }

  const server_config& config() const { return config_; }
  message_state state() const {
    cell<std::uint32_t>* const words = state_.device_data();
    return {words, words + 1};
  }

 private:
  server_config config_;
  buffer<std::uint32_t> state_{2};
};

}  // namespace finesync::maxflow
