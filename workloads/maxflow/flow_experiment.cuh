// The parts that all experiments of this program share: network, verification and watchdog. Also
// the experiments whose version is one kernel.
#pragma once

#include "run_config.hpp"

#include <bench/experiment.hpp>
#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/grid.cuh>
#include <workloads/common/observers/contention_observer.cuh>
#include <workloads/common/outcomes.hpp>
#include <workloads/graph_reference/flow.hpp>
#include <workloads/maxflow/network/network.hpp>
#include <workloads/maxflow/push_relabel/flow_kernel.cuh>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace finesync::maxflow {

/// \throws bench::infeasible unless the versions run in blocks of this size.
inline void check_block(const run_config& config) {
  if (config.threads_per_block % 32 != 0 || config.threads_per_block > max_threads)
    throw bench::infeasible("blocks of whole warps are needed, of 512 threads at most");
}
inline std::uint32_t nodes_of(const run_config& config) {
  return network_of(config.problem)->input().arcs.vertices();
}

class flow_experiment : public bench::experiment {
 public:
  flow_experiment(const run_config& config, const launch_shape& shape)
      : network_(network_of(config.problem)), shape_(shape) {}

  void reset() final {
    network_->reset();
    watchdog_.reset();
    progress_.fill_bytes(0);
    first_phase_ns_.fill_bytes(0);
    begin();
  }
  bench::outcome verify() final {
    stream().synchronize();
    if (const auto given_up = watchdog_.report()) return workload::timed_out(*given_up);
    const progress reported = seen();
    if (const auto ended = verify_launches(reported); !ended.ok()) return ended;
    if (reported.missed_nodes != 0)
      return {bench::status::wrong,
              std::to_string(reported.missed_nodes) + " nodes with excess were in no queue"};
    const std::vector<std::uint32_t> left = network_->residuals();
    if (const auto fault = graph_reference::fault_of_flow(network_->input(), left))
      return {bench::status::wrong, *fault};
    if (!graph_reference::is_maximum(network_->input(), left))
      return {bench::status::wrong, "more can flow than does"};
    // A search ends at a bound.
    if (reported.levels < reported.searches ||
        (reported.levels - reported.searches) % levels_per_bound != 0 ||
        (reported.searches == 0 && has_work()))
      return {bench::status::wrong, std::to_string(reported.searches) + " searches do not have " +
                                        std::to_string(reported.levels) + " levels"};
    return {};
  }
  bench::counters measure() override {
    const progress found = seen();
    const std::int64_t value =
        graph_reference::value_of_flow(network_->input(), network_->residuals());
    return {{"flow_value", static_cast<double>(value)},
            {"global_relabels", found.searches},
            {"levels", found.levels},
            {"rounds", found.rounds},
            {"phase_1_ms", static_cast<double>(first_phase_ns_.to_host()[0]) * 1e-6}};
  }
  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape_);
    workload::add_parameter(effective, "nodes", network_->input().arcs.vertices());
    workload::add_parameter(effective, "arcs", network_->input().arcs.arcs());
    return effective;
  }
  /// Arcs, including those with only reverse capacity.
  double operations() const final { return network_->input().arcs.arcs(); }

 protected:
  /// Frees every lock and empties every queue.
  virtual void begin() = 0;
  /// Why the last run did not come to its end, if the version ended it, or cannot be as reported.
  virtual bench::outcome verify_launches(const progress& /*reported*/) const { return {}; }

  /// The counters of the last run, with those of a further one under an observer of the nodes.
  /// \param launch_observed starts that run.
  template <class Launch>
  bench::counters with_contention(Launch launch_observed) {
    bench::counters all = flow_experiment::measure();
    const workload::contention_record record(net().nodes(), shape_.blocks);
    reset();
    launch_observed(record);
    bench::expect_ok(verify());
    all.merge(workload::counters_of(record, operations()));
    return all;
  }

  const launch_shape& shape() const { return shape_; }
  watchdog_ref timeout() const { return watchdog_.ref(); }
  void set_first_phase(std::chrono::nanoseconds took) {
    const auto ns = static_cast<std::uint64_t>(took.count());
    first_phase_ns_.copy_from(std::span(&ns, 1));
  }
  bool given_up() const { return watchdog_.fired(); }
  std::chrono::nanoseconds time_limit() const {
    return std::chrono::nanoseconds(watchdog_.limit_ns());
  }
  network_ref net() const { return network_->ref(); }
  const inputs::flow_network& input() const { return network_->input(); }
  progress_ref counts() const {
    cell<std::uint32_t>* const first = progress_.device_data();
    return {first, first + 1, first + 2, first + 3, first_phase_ns_.device_data()};
  }

 private:
  /// Whether the source can push to a node that is to push on.
  bool has_work() const {
    const inputs::graph& arcs = input().arcs;
    for (std::uint32_t arc = arcs.first[input().source]; arc < arcs.first[input().source + 1];
         ++arc)
      if (arcs.weights[arc] != 0 && arcs.targets[arc] != input().sink) return true;
    return false;
  }
  progress seen() const {
    const auto words = progress_.to_host();
    return {words[0], words[1], words[2], words[3], words[4]};
  }

  std::shared_ptr<network> network_;
  launch_shape shape_;
  watchdog watchdog_;
  buffer<std::uint32_t> progress_{5};
  buffer<std::uint64_t> first_phase_ns_{1};
};

/// Defaults of a version's resources.
struct lock_resources {
  /// Capacity of the pool in percent of the nodes; above 100 if it may hold a node several times.
  static constexpr unsigned pool_percent = 100;
  /// Shared memory of a block, in addition to its queue.
  static std::size_t shared_bytes(const run_config& /*config*/) { return 0; }
  void reset() {}
};

/// Resources of a version without device state.
template <class Version>
struct no_locks : lock_resources {
  using version = Version;

  no_locks(std::size_t /*nodes*/, const run_config& /*config*/, const launch_shape& /*shape*/) {}
  version ref() const { return {}; }
};

/// Resources of a version that can be observed: ref(observer) makes it. with_parameters() adds what
/// it runs with to a row.
template <class Resources>
concept observable = requires {
  typename Resources::observed_version;
};

/// \tparam Resources own the data that the kernel's version refers to, see no_locks.
template <class Resources>
class kernel_experiment final : public flow_experiment {
  using version = typename Resources::version;
  using barrier = autotuned_barrier;

 public:
  explicit kernel_experiment(const run_config& config)
      : flow_experiment(config, shape_for(config)),
        pace_{config.steps_per_barrier, config.relabel_interval},
        room_(net().nodes() / 100 * Resources::pool_percent + Resources::pool_percent),
        pool_(2 * room_),
        barrier_(shape()),
        resources_(net().nodes(), config, shape()) {}

  void launch() override { start(resources_.ref()); }
  bench::counters measure() override {
    if constexpr (observable<Resources>)
      return with_contention([&](const workload::contention_record& record) {
        start(resources_.ref(record.probe()));
      });
    else
      return flow_experiment::measure();
  }
  bench::parameters effective_parameters() const override {
    bench::parameters effective = flow_experiment::effective_parameters();
    if constexpr (observable<Resources>) return resources_.with_parameters(effective);
    return effective;
  }

 protected:
  void begin() override {
    totals_.fill_bytes(0);
    counts_.fill_bytes(0);
    barrier_.reset();
    resources_.reset();
  }

 private:
  template <class Version>
  static constexpr auto kernel = find_flow<Version, barrier::ref_type>;

  template <class Version>
  void start(const Version& what) {
    launch_cooperative(kernel<Version>, shape(), net(), what,
                       pool_ref{pool_.device_data(), static_cast<std::uint32_t>(room_),
                                totals_.device_data(), counts_.device_data()},
                       barrier_.ref(), pace_, counts(), timeout());
  }

  static launch_shape shape_for(const run_config& config) {
    check_block(config);
    const std::size_t shared_bytes =
        shared_bytes_of_queue<work_queue<version::room>> + Resources::shared_bytes(config);
    if constexpr (observable<Resources>)
      return workload::grid_for(config, shared_bytes, kernel<version>,
                                kernel<typename Resources::observed_version>);
    else
      return workload::grid_for(config, shared_bytes, kernel<version>);
  }

  pace pace_;
  std::size_t room_;
  buffer<std::uint32_t> pool_;
  buffer<std::uint64_t> totals_{3};
  buffer<std::uint64_t> counts_{3};
  barrier barrier_;
  Resources resources_;
};

}  // namespace finesync::maxflow
