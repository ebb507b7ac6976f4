// The experiments: a schedule over outputs of one kind.
#pragma once

#include "outputs.cuh"
#include "ready_queue.cuh"
#include "run_config.hpp"
#include "schedules.cuh"
#include "task_work.cuh"

#include <bench/experiment.hpp>
#include <finesync/device/numbering.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/grid.cuh>
#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace finesync::taskgraph {

/// The graph of a point. \throws bench::infeasible if there is none.
inline task_graph checked_graph(const run_config& config) {
  workload::expect_whole_warps(config.threads_per_block);
  try {
    task_graph graph = random_graph(config.graph);
    check(graph);
    return graph;
  } catch (const std::invalid_argument& why) {
    throw bench::infeasible(why.what());
  }
}

/// Adds up each output as a reader does, by its row.
template <class Written>
__global__ void collect(graph_ref graph, Written outputs, std::uint32_t round,
                        cell<std::uint32_t>* found, watchdog_ref watchdog) {
  assume_one_dimension();
  using reader = typename Written::template task<0>;
  for (std::uint32_t row = blockIdx.x; row < graph.tasks; row += gridDim.x) {
    std::uint32_t sum = 0;
    const reader one(outputs, {{0, row, 1, no_event}, {0, 0, 0, 0}});
    if (!one.take(round, watchdog, sum)) return;
    atomic_ref<std::uint32_t, scope::device>(found[row]).fetch_add(sum, memory_order::relaxed);
  }
}

/// What all schedules share. \tparam Outputs see outputs.cuh.
template <class Outputs>
class graph_experiment : public bench::experiment {
 public:
  graph_experiment(const run_config& config, const task_graph& graph)
      : config_(config),
        outputs_(graph, config.payload_bytes),
        right_(right_outputs(graph, outputs_.weight())),
        work_(work_of(config.task_ns)),
        graph_(graph, right_, work_.cycles),
        counts_(graph),
        wrong_(1),
        found_(graph.tasks.size()) {}

  void reset() override {
    outputs_.reset();
    wrong_.fill_bytes(0);
    watchdog_.reset();
  }

  bench::outcome verify() override {
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    if (const std::uint32_t wrong = wrong_.to_host()[0]; wrong != 0)
      return {bench::status::wrong,
              std::to_string(wrong) + " outputs are not what their tasks' inputs make"};
    return verify_last();
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::parameters_of(shape());
    workload::add_parameter(effective, "tasks", counts_.tasks);
    workload::add_parameter(effective, "events", counts_.events);
    workload::add_parameter(effective, "arrivals", counts_.arrivals);
    workload::add_parameter(effective, "task_ns", static_cast<unsigned>(std::lround(work_.ns)));
    return effective;
  }

  double operations() const override { return config_.rounds; }

 protected:
  virtual launch_shape shape() const = 0;

  const run_config& config() const { return config_; }
  Outputs& outputs() { return outputs_; }
  replay replay_of(std::uint32_t round) const {
    return {graph_.ref(), round, wrong_.device_data(), watchdog_.ref()};
  }

  /// Calls start(most) with the accesses that a thread has at most for its inputs, as a constant;
  /// with 0 if they are many.
  template <class Start>
  void with_most_accesses(Start start) const {
    const unsigned all = counts_.most_inputs * outputs_.accesses();
    const unsigned each = (all + config_.threads_per_block - 1) / config_.threads_per_block;
    if (each <= 1)
      start(std::integral_constant<unsigned, 1>());
    else if (each <= 3)
      start(std::integral_constant<unsigned, 3>());
    else
      start(std::integral_constant<unsigned, 0>());
  }

 private:
  struct counts {
    explicit counts(const task_graph& graph)
        : tasks(static_cast<unsigned>(graph.tasks.size())),
          events(static_cast<unsigned>(graph.arrivals.size())) {
      for (const std::uint32_t each : graph.arrivals) {
        arrivals += each;
        most_inputs = std::max(most_inputs, each);
      }
    }
    unsigned tasks;
    unsigned events;
    unsigned arrivals = 0;
    unsigned most_inputs = 1;  ///< at least 1: a task also has an output
  };

  bench::outcome verify_last() {
    found_.fill_bytes(0);
    launch_independent(collect<decltype(outputs_.written())>,
                       {.blocks = 64, .threads_per_block = 32}, graph_.ref(), outputs_.written(),
                       config_.rounds, found_.device_data(), watchdog_.ref());
    stream().synchronize();
    if (const auto ended = watchdog_.report()) return workload::timed_out(*ended);
    const std::vector<std::uint32_t> found = found_.to_host();
    std::size_t wrong = 0;
    for (std::size_t task = 0; task < right_.size(); ++task)
      wrong += found[graph_.rows()[task]] != outputs_.weight() * config_.rounds * right_[task];
    return workload::wrong_unless(wrong == 0, std::to_string(wrong) + " of " +
                                                  std::to_string(right_.size()) +
                                                  " outputs of the last replay are wrong");
  }

  run_config config_;
  Outputs outputs_;
  std::vector<std::uint32_t> right_;
  task_work_length work_;
  device_graph graph_;
  counts counts_;
  buffer<std::uint32_t> wrong_;
  buffer<std::uint32_t> found_;
  watchdog watchdog_;
};

/// Schedules in one kernel per replay, all of whose blocks are resident.
template <class Outputs>
class persistent_experiment : public graph_experiment<Outputs> {
 protected:
  persistent_experiment(const run_config& config, const task_graph& graph)
      : graph_experiment<Outputs>(config, graph),
        shape_{.blocks = config.blocks_per_sm * static_cast<unsigned>(current_gpu().sms),
               .threads_per_block = config.threads_per_block,
               .shared_bytes = sizeof(block_memory)} {}

  launch_shape shape() const override { return shape_; }

 private:
  launch_shape shape_;  // the GPU is not asked again in a timed run: that takes a millisecond
};

template <class Outputs>
class static_schedule final : public persistent_experiment<Outputs> {
 public:
  explicit static_schedule(const run_config& config)
      : persistent_experiment<Outputs>(config, checked_graph(config)) {}

  void launch() override {
    this->with_most_accesses([&](auto most) {
      for (std::uint32_t round = 1; round <= this->config().rounds; ++round)
        launch_cooperative(run_static<Outputs, most.value>, this->shape(), this->replay_of(round),
                           this->outputs().ref());
    });
  }
};

template <class Outputs, draws When>
class drawn_schedule final : public persistent_experiment<Outputs> {
 public:
  explicit drawn_schedule(const run_config& config)
      : persistent_experiment<Outputs>(config, checked_graph(config)), tickets_(1) {}

  void reset() override {
    persistent_experiment<Outputs>::reset();
    tickets_.fill_bytes(0);
  }
  void launch() override {
    this->with_most_accesses([&](auto most) {
      for (std::uint32_t round = 1; round <= this->config().rounds; ++round)
        launch_cooperative(run_drawn<Outputs, most.value, When>, this->shape(),
                           this->replay_of(round), this->outputs().ref(), tickets_.device_data());
    });
  }

 private:
  buffer<std::uint32_t> tickets_;
};
template <class Outputs>
using drawn_ahead = drawn_schedule<Outputs, draws::ahead>;
template <class Outputs>
using drawn_late = drawn_schedule<Outputs, draws::late>;

/// A queue for each replay, so that the time of a run has no reset of one.
template <class Outputs>
class ready_schedule final : public persistent_experiment<Outputs> {
 public:
  explicit ready_schedule(const run_config& config)
      : ready_schedule(config, checked_graph(config)) {}

  void reset() override {
    persistent_experiment<Outputs>::reset();
    arrived_.fill_bytes(0);
    for (ready_queue& each : queues_) each.reset();
  }
  void launch() override {
    this->with_most_accesses([&](auto most) {
      for (std::uint32_t round = 1; round <= this->config().rounds; ++round)
        launch_cooperative(run_ready<Outputs, most.value>, this->shape(), this->replay_of(round),
                           this->outputs().ref(),
                           ready_tasks{queues_[round - 1].ref(), arrived_.device_data()});
    });
  }

 private:
  ready_schedule(const run_config& config, const task_graph& graph)
      : persistent_experiment<Outputs>(config, graph), arrived_(graph.arrivals.size() + 1) {
    queues_.reserve(config.rounds);
    for (unsigned i = 0; i < config.rounds; ++i)
      queues_.emplace_back(std::max<std::size_t>(2, std::bit_ceil(graph.tasks.size())));
  }

  buffer<std::uint32_t> arrived_;
  std::vector<ready_queue> queues_;
};

template <class Barrier>
class layers_between_barriers final : public persistent_experiment<plain_outputs> {
 public:
  explicit layers_between_barriers(const run_config& config)
      : persistent_experiment<plain_outputs>(config, checked_graph(config)), barrier_(shape()) {}

  void reset() override {
    persistent_experiment<plain_outputs>::reset();
    barrier_.reset();
  }
  void launch() override {
    with_most_accesses([&](auto most) {
      for (std::uint32_t round = 1; round <= config().rounds; ++round)
        launch_cooperative(run_layers<plain_outputs, most.value, decltype(barrier_.ref())>, shape(),
                           replay_of(round), outputs().ref(), barrier_.ref());
    });
  }

 private:
  Barrier barrier_;
};

}  // namespace finesync::taskgraph
