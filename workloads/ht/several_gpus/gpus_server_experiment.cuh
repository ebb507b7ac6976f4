// The experiment in which synchronization servers on several GPUs run the pushes.
#pragma once

#include "gpus_inserts.cuh"

#include <finesync/host/launch.cuh>
#include <finesync/several_gpus/gpus_server_pool.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/engine/peers_of.hpp>
#include <workloads/common/grid.cuh>
#include <workloads/ht/served_inserts.cuh>

#include <algorithm>
#include <memory>
#include <utility>

namespace finesync::ht {

template <class Channel, class Execution, class Partition>
class gpus_server_experiment final : public gpus_inserts {
 public:
  explicit gpus_server_experiment(const run_config& options)
      : gpus_server_experiment(options, workload::peers_of(options.engine, options.gpus)) {}

  void reset() override {
    gpus_inserts::reset();
    pool_.reset();
  }

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of(pool_.config(), gpus_inserts::effective_parameters());
  }

 private:
  using pool = gpus_server_pool<Channel, Execution, Partition>;

  gpus_server_experiment(const run_config& options, peers all)
      : gpus_server_experiment(completed(options, all.grids_beside(all.first())),
                               all.grids_beside(all.first()), std::move(all)) {}
  gpus_server_experiment(const run_config& config, unsigned grids, peers&& all)
      : gpus_inserts(config, std::move(all), shape_of_each(config, grids)),
        pool_(this->all(), servers_of<Partition>(config, shape().blocks)) {}

  void start_pushes() override {
    start([this](unsigned gpu) { return pushes(gpu); });
  }
  void start_empties() override {
    start([this](unsigned gpu) { return empties(gpu); });
  }
  void start_counts() override {
    start([this](unsigned gpu) { return counts(gpu); });
  }

  template <class ServiceOf>
  void start(const ServiceOf& service_of) {
    timed([&] {
      pool_.launch(config().threads_per_block, service_of,
                   insert_client{config().problem, config().servers.client_work}, timeouts());
    });
  }

  static unsigned resident(const run_config& options, unsigned grids) {
    const server_config servers = servers_of<Partition>(options, blocks_for(options, grids));
    const auto resident_with = [&]<class Service>(Service) {
      return max_resident_blocks(
          server_grid<Channel, Execution, Partition, Service, insert_client, no_observer>,
          options.threads_per_block,
          pool::template shared_bytes<Service>(servers, options.threads_per_block));
    };
    return std::min({resident_with(owned_push_service{}), resident_with(empty_service{}),
                     resident_with(count_service{})});
  }
  static launch_shape shape_of_each(const run_config& config, unsigned grids) {
    launch_shape shape = workload::grid_of(config, resident(config, grids));
    shape.blocks = blocks_for(config, grids);
    return shape;
  }
  static run_config completed(const run_config& options, unsigned grids) {
    return with_what_fits<Partition>(options, grids, [grids](const run_config& tried) {
      return resident(tried, grids) >= blocks_for(tried);
    });
  }

  pool pool_;
};

/// With the partition of the configuration.
template <class Channel, class Execution>
std::unique_ptr<bench::experiment> gpus_server_experiment_with(const run_config& options) {
  const auto with = [&]<class Partition>() -> std::unique_ptr<bench::experiment> {
    return std::make_unique<gpus_server_experiment<Channel, Execution, Partition>>(options);
  };
  return with_partition<true>(options, with);
}

}  // namespace finesync::ht
