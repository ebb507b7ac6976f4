// The experiment for any grid barrier of finesync/barriers.
#pragma once

#include "reduction_experiment.cuh"

#include <finesync/barriers/grid_barrier.cuh>
#include <workloads/applications/barrier_cost.cuh>
#include <workloads/applications/barrier_grid.cuh>

#include <memory>
#include <type_traits>
#include <utility>

namespace finesync::reduce {

template <class Barrier, barrier_form Form>
class barrier_experiment final : public reduction_experiment {
  using ref_type = decltype(std::declval<const Barrier&>().ref());
  static_assert(grid_barrier<ref_type>);

 public:
  explicit barrier_experiment(const run_config& config)
      : reduction_experiment(config, applications::grid_for<Barrier>(config, sizeof(block_memory),
                                                                     reduce_rounds<ref_type, Form>,
                                                                     reduce_rounds<watched, Form>)),
        barrier_(shape()) {}

  void reset() override {
    reduction_experiment::reset();
    barrier_.reset();
  }
  void launch() override { start(barrier_.ref()); }

  bench::counters measure() override {
    return applications::cost_of_barriers<false>(
        barrier_, shape(), timeout(), config().rounds, [&] { reset(); },
        [&](const auto& barrier) { start(barrier); }, [&] { return verify(); });
  }

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of<typename ref_type::participant>(
        reduction_experiment::effective_parameters());
  }

 private:
  using watched = applications::watched_barrier<ref_type>;

  template <class BarrierRef>
  void start(const BarrierRef& barrier) {
    launch_cooperative(reduce_rounds<BarrierRef, Form>, shape(), barrier, words(), results(),
                       config().rounds, timeout());
  }

  Barrier barrier_;
};

/// `Barrier` with its back-off, or `WithoutBackoff` (void: no such variant).
template <class Barrier, class WithoutBackoff>
std::unique_ptr<bench::experiment> experiment_with(const run_config& config) {
  if constexpr (!std::is_void_v<WithoutBackoff>) {
    if (!config.backoff) return experiment_with<WithoutBackoff, void>(config);
  }
  using participant = typename decltype(std::declval<const Barrier&>().ref())::participant;
  if (config.form == barrier_form::blocking)
    return std::make_unique<barrier_experiment<Barrier, barrier_form::blocking>>(config);
  if constexpr (supports_split_phase<participant>)
    return std::make_unique<barrier_experiment<Barrier, barrier_form::split_phase>>(config);
  applications::refuse_split_phase();
}

}  // namespace finesync::reduce
