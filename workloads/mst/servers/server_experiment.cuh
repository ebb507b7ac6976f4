// Edge lists, with records at servers. The last rounds, of few components, use an atomic minimum.
#pragma once

#include "server_minimum.cuh"

#include <finesync/host/gpu.cuh>
#include <finesync/server/server_pool.cuh>
#include <workloads/mst/edge_list_experiment.cuh>
#include <workloads/mst/minimum_experiment.cuh>
#include <workloads/mst/phases/launched_levels.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace finesync::mst {

/// \tparam Service record_service, or owned_record_service if the message path supports it.
template <class Channel, class Execution, class Service>
class server_experiment final : public edge_list_experiment {
 public:
  explicit server_experiment(const run_config& options)
      : edge_list_experiment(options),
        last_level_(options.server_rounds - 1),
        threads_per_block_(options.threads_per_block),
        sent_(2 * std::size_t{components()}),
        pool_(config_of(options)) {}

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of(pool_.config(),
                                        edge_list_experiment::effective_parameters());
  }

 protected:
  void begin() override {
    edge_list_experiment::begin();
    sent_.fill_bytes(0xff);
    rounds_.reset();
  }
  void start() override {
    const stream here;
    const forest_ref run = ref();
    launch_before_light(here);
    launch_listing(here, light, run, no_minimum(records()), is_filtered(), timeout());
    for (unsigned level = 0; level < last_level_; ++level) {
      start_proposals(run, level);
      start_level(run, level, records(), key_records(sent_.device_data(), components()), settling(),
                  timeout());
    }
    start_proposals(run, last_level_);
    rounds_.launch(here, run, last_rounds(), light, last_level_, timeout());
    if (!is_filtered()) return;
    launch_before_heavy(here);
    launch_listing(here, heavy, run, last_rounds(), true, timeout());
    rounds_.launch(here, run, last_rounds(), heavy, 0, timeout());
  }
  unsigned launches_of(phase which) const override {
    return which == heavy ? 2 : 3 + (1 + launches_of_level) * last_level_;
  }
  launch_shape shape() const override {
    return {.blocks = pool_.config().servers + pool_.config().clients,
            .threads_per_block = threads_per_block_};
  }

 private:
  using pool = server_pool<Channel, Execution>;

  atomic_min last_rounds() const { return atomic_min(records()); }

  void start_proposals(const forest_ref& run, unsigned level) {
    const std::size_t first = std::size_t{level % 2} * components();
    Service service;
    service.records = record_words() + first;
    pool_.reset();
    pool_.launch(threads_per_block_, service, edge_client{run, level, sent_.device_data() + first},
                 timeout());
  }

  /// Two blocks per SM if they fit. If not even one fits, fewer locks than usual.
  static server_config config_of(const run_config& options) {
    const auto sms = static_cast<unsigned>(current_gpu().sms);
    server_config config;
    config.ring = options.ring;
    const auto fits = [&](unsigned blocks) {
      config.servers = std::clamp(blocks * options.servers_percent / 100, 1u, blocks - 1);
      config.clients = blocks - config.servers;
      return max_resident_blocks(
                 server_grid<Channel, Execution, modulo_partition, Service, edge_client,
                             no_observer>,
                 options.threads_per_block,
                 pool::template shared_bytes<Service>(config, options.threads_per_block)) >= blocks;
    };
    while (config.locks > 1 && !fits(sms)) config.locks /= 2;
    if (!fits(2 * sms)) fits(sms);
    return config;
  }

  unsigned last_level_;  ///< last level with records at servers
  unsigned threads_per_block_;
  buffer<std::uint64_t> sent_;
  pool pool_;
  cooperative_rounds<atomic_min> rounds_;
};

}  // namespace finesync::mst
