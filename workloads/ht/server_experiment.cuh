// The experiment in which synchronization servers run the pushes.
#pragma once

#include "insert_experiment.cuh"

#include <finesync/server/partition/balanced.cuh>
#include <finesync/server/partition/modulo.cuh>
#include <finesync/server/partition/range.cuh>
#include <finesync/server/server_pool.cuh>
#include <workloads/common/grid.cuh>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <type_traits>

namespace finesync::ht {

/// Whether an outbox accepts several requests at once.
template <class Outbox>
concept sends_batches = requires(Outbox& out, const request<std::uint32_t> (&batch)[1]) {
  out.send(batch);
};

struct insert_client {
  problem what;
  std::uint32_t work;  ///< arithmetic before each insert

  __device__ std::uint32_t requests() const { return what.inserts; }
  __device__ std::uint32_t key_of_request(std::uint32_t i) const { return entry_of(what, i); }

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned threads) const {
    constexpr unsigned at_once = 4;
    std::uint32_t i = thread;
    if constexpr (sends_batches<Outbox>) {
      for (; i + (at_once - 1) * threads < what.inserts; i += at_once * threads) {
        spend_arithmetic(at_once * work);
        request<std::uint32_t> batch[at_once];
        for (unsigned k = 0; k < at_once; ++k)
          batch[k] = {entry_of(what, i + k * threads), i + k * threads};
        if (!out.send(batch)) return false;
      }
    }
    for (; i < what.inserts; i += threads) {
      spend_arithmetic(work);
      if (!out.send(entry_of(what, i), i)) return false;
    }
    return true;
  }
};

template <class Channel, class Execution, class Partition, class PushService>
class server_experiment final : public insert_experiment {
 public:
  explicit server_experiment(const run_config& options)
      : insert_experiment(completed(options), resident(completed(options))),
        pool_(config_of(config(), shape().blocks)) {}

  void reset() override {
    insert_experiment::reset();
    pool_.reset();
  }

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of(pool_.config(), insert_experiment::effective_parameters());
  }

  bench::counters measure() override {
    if (config().empty_sections) return {};
    reset();
    const workload::contention_record record(config().problem.table_size, shape().blocks);
    start(PushService{pushes()}, record.probe());
    bench::expect_ok(verify_pushes());
    return workload::counters_of(record, operations());
  }

 private:
  using pool = server_pool<Channel, Execution, Partition>;

  void start_pushes() override { start(PushService{pushes()}, no_observer{}); }
  void start_empties() override { start(empties(), no_observer{}); }

  template <class Service, class Probe>
  void start(const Service& service, const Probe& probe) {
    pool_.launch(config().threads_per_block, service,
                 insert_client{config().problem, config().servers.client_work}, timeout(), probe);
  }

  static server_config config_of(const run_config& options, unsigned blocks) {
    server_config config;
    config.servers = std::max(1u, (blocks * options.servers.percent + 50) / 100);
    config.clients = blocks - std::min(blocks, config.servers);
    config.ring = options.servers.ring;
    config.locks = options.servers.locks;
    config.local_buffer = options.servers.local_buffer;
    config.keys = options.problem.table_size;
    return config;
  }

  static unsigned blocks_of(const run_config& options) {
    return std::max(1u, options.blocks_per_sm) * workload::sms_of_grid(options);
  }

  // A block's shared memory depends on the number of servers, and so on the grid.
  static unsigned resident(const run_config& options) {
    const unsigned blocks = blocks_of(options);
    const auto resident_with = [&]<class Service, class Probe>(Service, Probe) {
      const std::size_t shared = pool::template shared_bytes<Service>(config_of(options, blocks),
                                                                      options.threads_per_block);
      return max_resident_blocks(
          server_grid<Channel, Execution, Partition, Service, insert_client, Probe>,
          options.threads_per_block, shared);
    };
    const workload::contention_observer probe(nullptr, nullptr, nullptr);
    return std::min({resident_with(PushService{}, no_observer{}),
                     resident_with(empty_service{}, no_observer{}),
                     resident_with(PushService{}, probe)});
  }

  static bool fits(const run_config& options) { return resident(options) >= blocks_of(options); }

  /// What is left open: the paper's number of locks, or the most that the blocks have room for; two
  /// blocks per SM, or one.
  static run_config completed(run_config options) {
    constexpr unsigned usual = 4096;
    constexpr unsigned least = 32;
    if (options.servers.locks == 0) {
      options.servers.locks = usual;
      while (options.servers.locks > least && !fits(options)) options.servers.locks /= 2;
      if (!fits(options)) options.servers.locks = usual;
    }
    if (options.blocks_per_sm == 0) {
      options.blocks_per_sm = 2;
      if (!fits(options)) options.blocks_per_sm = 1;
    }
    return options;
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
  try {
    if constexpr (PartitionsFreely) {
      switch (options.servers.partition) {
        case partition_policy::balanced:
          return with.template operator()<balanced_partition>();
        case partition_policy::range:
          return with.template operator()<range_partition>();
        case partition_policy::modulo:
          break;
      }
    }
    return with.template operator()<modulo_partition>();
  } catch (const std::invalid_argument& limit) {  // beyond the limits of the message path
    throw bench::infeasible(limit.what());
  }
}

}  // namespace finesync::ht
