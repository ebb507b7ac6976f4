// The experiment for any barrier of finesync/several_gpus.
#pragma once

#include "gpus_grids.cuh"

#include <finesync/barriers/grid_barrier.cuh>
#include <workloads/barrier/plan_parameters.hpp>
#include <workloads/barrier/rounds.cuh>
#include <workloads/common/grid.cuh>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace finesync::barrier {

/// `Barrier` is an owner with ref(gpu), see gpus_barrier.cuh.
template <class Barrier>
class gpus_experiment final : public gpus_grids {
 public:
  /// \param plan further arguments of the owner's constructor, after the shape.
  template <class... Plan>
  explicit gpus_experiment(const run_config& config, const Plan&... plan)
      : gpus_experiment(config, gpus_of(config), plan...) {}

  void reset() override {
    gpus_grids::reset();
    barrier_.reset();
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = gpus_grids::effective_parameters();
    if constexpr (requires { barrier_.plan(); }) add_plan(effective, barrier_.plan());
    return effective;
  }

  void launch() override {
    start_rounds(config().rounds, [](unsigned) { return idle{}; });
  }

 private:
  using ref_type = decltype(std::declval<const Barrier&>().ref(0));
  static_assert(grid_barrier<ref_type>);

  template <class... Plan>
  gpus_experiment(const run_config& config, peers all, const Plan&... plan)
      : gpus_experiment(config, workload::grid_of_each(config, all, resident(config)),
                        std::move(all), plan...) {}
  template <class... Plan>
  gpus_experiment(const run_config& config, const launch_shape& shape, peers&& all,
                  const Plan&... plan)
      : gpus_grids(config, std::move(all), shape), barrier_(this->all(), shape, plan...) {}

  static unsigned resident(const run_config& config) {
    return workload::resident_of_all(
        {.threads_per_block = config.threads_per_block}, run_rounds<ref_type, idle>,
        run_rounds<ref_type, gpus_exchange>, run_litmus<ref_type, gpus_litmus_words>);
  }

  template <class WorkOf>
  void start_rounds(unsigned rounds, const WorkOf& work_of) const {
    using work = decltype(work_of(0));
    start_on_all(run_rounds<ref_type, work>, [&](unsigned me) {
      return std::tuple(barrier_.ref(me), work_of(me), rounds, left_over(me), timeout(me));
    });
  }
  void start_exchange(unsigned rounds) override {
    start_rounds(rounds, [this](unsigned me) { return exchange(me); });
  }
  void start_litmus(bool skewed) override {
    start_on_all(run_litmus<ref_type, gpus_litmus_words>, [&](unsigned me) {
      return std::tuple(barrier_.ref(me), litmus_of(me, skewed), config().litmus.rounds,
                        timeout(me));
    });
  }

  Barrier barrier_;
};

/// With the counters and replicas that the configuration sets, if the barrier has a plan.
template <class Barrier>
std::unique_ptr<bench::experiment> gpus_experiment_with(const run_config& config) {
  const auto& asked = config.counters;
  if constexpr (requires(const Barrier& barrier) { barrier.plan(); }) {
    if (asked.number != 0 || asked.replicas != 0)
      return std::make_unique<gpus_experiment<Barrier>>(
          config, counter_plan{.how = counter_topology::gather_broadcast,
                               .counters = std::max(asked.number, 1u),
                               .replicas = std::max(asked.replicas, 1u)});
  }
  return std::make_unique<gpus_experiment<Barrier>>(config);
}

}  // namespace finesync::barrier
