// The device state of node_server.cuh.
#pragma once

#include "node_server.cuh"

#include <finesync/host/buffer.cuh>
#include <finesync/locks/observer.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/observers/contention_observer.cuh>
#include <workloads/maxflow/flow_experiment.cuh>
#include <workloads/maxflow/servers/server_resources.cuh>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace finesync::maxflow {

template <class Rules>
class printed_servers : public server_resources<2> {
 public:
  using version = node_servers<Rules, no_observer>;
  using observed_version = node_servers<Rules, workload::contention_observer>;

  printed_servers(std::size_t nodes, const run_config& options, const launch_shape& shape)
      : server_resources(nodes, options, shape.blocks),
        section_work_(options.section_work),
        rings_(update_rings::memory_bytes(config())) {}

  /// \throws bench::infeasible for a block without a leader and a follower.
  static std::size_t shared_bytes(const run_config& options) {
    const server_config config = config_of(options);
    if (options.threads_per_block / 32 < update_rings::min_warps)
      throw bench::infeasible("servers need two warps or more: a leader and a follower");
    return server_memory::bytes(config, options.threads_per_block);
  }

  version ref() const { return ref(no_observer{}); }
  template <class Observer>
  node_servers<Rules, Observer> ref(const Observer& observer) const {
    return {.rings = {config(), rings_.raw_pointer()},
            .memory = reinterpret_cast<cell<std::uint32_t>*>(rings_.raw_pointer()),
            .memory_words = rings_.size() / sizeof(std::uint32_t),
            .state = state(),
            .section_work = section_work_,
            .observer = observer};
  }

  bench::parameters with_parameters(bench::parameters effective) const {
    server_config all = config();
    all.clients = all.servers;
    return workload::with_parameters_of(all, std::move(effective));
  }

 private:
  std::uint32_t section_work_;
  buffer<unsigned char> rings_;
};

}  // namespace finesync::maxflow
