// LonestarGPU's algorithm with the sections moved to synchronization servers, each of which owns a
// share of the components (ASPLOS'19, section 4.1).
#pragma once

#include "lonestar_experiment.cuh"

#include <finesync/host/gpu.cuh>
#include <finesync/server/server_pool.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace finesync::mst {

/// Keeps the records of a level, in global memory.
struct lightest_edges_service {
  using argument = proposed_arc;

  lightest_edges_ref lightest;
  std::uint32_t level;

  struct section {
    const lightest_edges_service* owner;
    std::uint32_t component;
    proposed_arc proposed;

    __device__ void operator()() const {
      owner->lightest.keep_lighter(component, owner->level, proposed);
    }
  };
  __device__ section operator()(std::uint32_t component, const proposed_arc& proposed) const {
    return {this, component, proposed};
  }
};

/// Sends each proposal to the owner of its component.
struct proposing_client {
  lonestar_run run;
  level_lists lists;

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned threads) const {
    return propose_arcs(run, lists, thread, threads,
                        [&](std::uint32_t component, const proposed_arc& proposed) {
                          return out.send(component, proposed);
                        });
  }
};

template <class Channel, class Execution>
class lonestar_server_experiment final : public lonestar_experiment {
 public:
  explicit lonestar_server_experiment(const run_config& config)
      : lonestar_experiment(config),
        threads_per_block_(config.threads_per_block),
        pool_(config_of(config)) {}

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of(pool_.config(),
                                        lonestar_experiment::effective_parameters());
  }

 protected:
  void start_proposals(const lonestar_run& run, const level_lists& lists,
                       std::uint32_t level) override {
    pool_.reset();
    const lightest_edges_service service{run.lightest, level};
    const proposing_client client{run, lists};
    if (observed())
      pool_.launch(threads_per_block_, service, client, timeout(), observed()->probe());
    else
      pool_.launch(threads_per_block_, service, client, timeout());
  }
  launch_shape shape() const override {
    return {.blocks = pool_.config().servers + pool_.config().clients,
            .threads_per_block = threads_per_block_};
  }

 private:
  using pool = server_pool<Channel, Execution>;
  template <class Observer>
  static constexpr auto* grid = server_grid<Channel, Execution, modulo_partition,
                                            lightest_edges_service, proposing_client, Observer>;

  /// As many blocks per SM as fit.
  static server_config config_of(const run_config& options) {
    const auto sms = static_cast<unsigned>(current_gpu().sms);
    server_config config;
    config.ring = options.ring;
    const auto share = [&](unsigned blocks) {
      config.servers = std::clamp(blocks * options.servers_percent / 100, 1u, blocks - 1);
      config.clients = blocks - config.servers;
    };
    const auto fits = [&](auto* kernel) {
      const std::size_t shared =
          pool::template shared_bytes<lightest_edges_service>(config, options.threads_per_block);
      return max_resident_blocks(kernel, options.threads_per_block, shared) >=
             config.servers + config.clients;
    };
    for (unsigned per_sm = 2048 / options.threads_per_block; per_sm > 0; --per_sm) {
      share(per_sm * sms);
      if (fits(grid<no_observer>) && fits(grid<workload::contention_observer>)) break;
    }
    return config;
  }

  unsigned threads_per_block_;
  pool pool_;
};

}  // namespace finesync::mst
