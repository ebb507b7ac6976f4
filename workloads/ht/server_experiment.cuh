// The experiment in which synchronization servers run the pushes.
#pragma once

#include "insert_experiment.cuh"
#include "served_inserts.cuh"

#include <finesync/server/server_pool.cuh>
#include <workloads/common/grid.cuh>

#include <algorithm>
#include <memory>
#include <type_traits>

namespace finesync::ht {

template <class Channel, class Execution, class Partition, class PushService>
class server_experiment final : public insert_experiment {
 public:
  explicit server_experiment(const run_config& options)
      : insert_experiment(completed(options), resident(completed(options))),
        pool_(servers_of<Partition>(config(), shape().blocks)) {}

  void reset() override {
    insert_experiment::reset();
    pool_.reset();
  }

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of(pool_.config(), insert_experiment::effective_parameters());
  }

  bench::counters measure() override {
    if (config().section != section_kind::push) return {};
    reset();
    const workload::contention_record record(config().problem.table_size, shape().blocks);
    start(PushService{pushes()}, record.probe());
    bench::expect_ok(verify_pushes());
    return workload::counters_of(record, operations());
  }

 private:
  using pool = server_pool<Channel, Execution, Partition>;
  static constexpr bool counts_inserts = keeps_owned_data<PushService>;

  void start_pushes() override { start(PushService{pushes()}, no_observer{}); }
  void start_empties() override { start(empties(), no_observer{}); }
  void start_counts() override {
    if constexpr (counts_inserts)
      start(counts(), no_observer{});
    else
      insert_experiment::start_counts();
  }

  template <class Service, class Probe>
  void start(const Service& service, const Probe& probe) {
    pool_.launch(config().threads_per_block, service,
                 insert_client{config().problem, config().servers.client_work}, timeout(), probe);
  }

  // A block's shared memory depends on the number of servers, and so on the grid.
  static unsigned resident(const run_config& options) {
    const unsigned blocks = blocks_for(options);
    const auto resident_with = [&]<class Service, class Probe>(Service, Probe) {
      const std::size_t shared = pool::template shared_bytes<Service>(
          servers_of<Partition>(options, blocks), options.threads_per_block);
      return max_resident_blocks(
          server_grid<Channel, Execution, Partition, Service, insert_client, Probe>,
          options.threads_per_block, shared);
    };
    const workload::contention_observer probe(nullptr, nullptr, nullptr);
    const unsigned fit = std::min({resident_with(PushService{}, no_observer{}),
                                   resident_with(empty_service{}, no_observer{}),
                                   resident_with(PushService{}, probe)});
    if constexpr (counts_inserts)
      return std::min(fit, resident_with(count_service{}, no_observer{}));
    else
      return fit;
  }

  static run_config completed(const run_config& options) {
    return with_what_fits<Partition>(
        options, 1, [](const run_config& tried) { return resident(tried) >= blocks_for(tried); });
  }

  pool pool_;
};

/// \tparam OwnsData whether servers keep the heads of their lists in shared memory.
/// \tparam PartitionsFreely whether the run has a choice; otherwise modulo, as in the paper.
template <class Channel, class Execution, bool OwnsData, bool PartitionsFreely>
std::unique_ptr<bench::experiment> server_experiment_with(const run_config& options) {
  using service = std::conditional_t<OwnsData, owned_push_service, push_service>;
  const auto with = [&]<class Partition>() -> std::unique_ptr<bench::experiment> {
    return std::make_unique<server_experiment<Channel, Execution, Partition, service>>(options);
  };
  return with_partition<PartitionsFreely>(options, with);
}

}  // namespace finesync::ht
