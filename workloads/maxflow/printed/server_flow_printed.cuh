// The device state of node_server.cuh.
#pragma once

#include "node_server.cuh"

#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/locks/observer.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/observers/contention_observer.cuh>
#include <workloads/maxflow/flow_experiment.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace finesync::maxflow {

template <class Rules>
class printed_servers : public lock_resources {
 public:
  using version = node_servers<Rules, no_observer>;
  using observed_version = node_servers<Rules, workload::contention_observer>;

  printed_servers(std::size_t nodes, const run_config& options, const launch_shape& shape)
      : config_(config_of(nodes, options.ring, shape.blocks)),
        section_work_(options.section_work),
        rings_(update_rings::memory_bytes(config_)) {}

  /// \throws bench::infeasible for a block without a leader and a follower.
  static std::size_t shared_bytes(const run_config& options) {
    if (options.blocks_per_sm == 0) throw bench::infeasible("servers need a number of blocks");
    if (options.threads_per_block / 32 < update_rings::min_warps)
      throw bench::infeasible("servers need two warps or more: a leader and a follower");
    const unsigned blocks = options.blocks_per_sm * static_cast<unsigned>(current_gpu().sms);
    return server_memory::bytes(config_of(0, options.ring, blocks), options.threads_per_block);
  }

  version ref() const { return ref(no_observer{}); }
  template <class Observer>
  node_servers<Rules, Observer> ref(const Observer& observer) const {
    cell<std::uint32_t>* const words = state_.device_data();
    return {.rings = {config_, rings_.raw_pointer()},
            .memory = reinterpret_cast<cell<std::uint32_t>*>(rings_.raw_pointer()),
            .memory_words = rings_.size() / sizeof(std::uint32_t),
            .state = {words, words + 1},
            .section_work = section_work_,
            .observer = observer};
  }

  bench::parameters with_parameters(bench::parameters effective) const {
    server_config all = config_;
    all.clients = config_.servers;
    return workload::with_parameters_of(all, std::move(effective));
  }

 private:
  /// The thread that ends the work counts as the one client that the servers wait for.
  static server_config config_of(std::size_t nodes, unsigned ring, unsigned blocks) {
    const std::size_t of_server = nodes / std::max(blocks, 1u) + 1;
    const auto least = static_cast<unsigned>(std::max<std::size_t>(ring, 2 * of_server));
    server_config config{.servers = blocks, .clients = 1, .ring = std::bit_ceil(least)};
    check(config);
    return config;
  }

  server_config config_;
  std::uint32_t section_work_;
  buffer<unsigned char> rings_;
  buffer<std::uint32_t> state_{2};
};

}  // namespace finesync::maxflow
