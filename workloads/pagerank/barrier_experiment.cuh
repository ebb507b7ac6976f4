// The experiment for any grid barrier of finesync/barriers.
#pragma once

#include "rank_rounds.cuh"
#include "ranking_experiment.cuh"

#include <finesync/barriers/grid_barrier.cuh>
#include <workloads/applications/barrier_cost.cuh>
#include <workloads/applications/barrier_grid.cuh>

#include <memory>
#include <type_traits>
#include <utility>

namespace finesync::pagerank {

template <class Barrier>
class barrier_experiment final : public ranking_experiment {
  using ref_type = decltype(std::declval<const Barrier&>().ref());
  static_assert(grid_barrier<ref_type>);
  using watched = applications::watched_barrier<ref_type>;

 public:
  explicit barrier_experiment(const run_config& config)
      : ranking_experiment(
            config, applications::grid_for<Barrier>(config, sizeof(block_memory),
                                                    rank_rounds<ref_type>, rank_rounds<watched>)),
        barrier_(shape()) {}

  void reset() override {
    ranking_experiment::reset();
    barrier_.reset();
  }
  void launch() override { start(barrier_.ref()); }

  bench::counters measure() override {
    bench::counters seen = ranking_experiment::measure();
    seen.merge(applications::cost_of_barriers<false>(
        barrier_, shape(), timeout(), rounds() + 1.0, [&] { reset(); },
        [&](const auto& barrier) { start(barrier); }, [&] { return verify(); }));
    return seen;
  }

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of<typename ref_type::participant>(
        ranking_experiment::effective_parameters());
  }

 private:
  template <class BarrierRef>
  void start(const BarrierRef& barrier) {
    launch_cooperative(rank_rounds<BarrierRef>, shape(), barrier, ranking(), timeout());
  }

  Barrier barrier_;
};

/// `Barrier` with its back-off, or `WithoutBackoff` (void: no such variant).
template <class Barrier, class WithoutBackoff>
std::unique_ptr<bench::experiment> experiment_with(const run_config& config) {
  if constexpr (!std::is_void_v<WithoutBackoff>) {
    if (!config.backoff) return experiment_with<WithoutBackoff, void>(config);
  }
  return std::make_unique<barrier_experiment<Barrier>>(config);
}

}  // namespace finesync::pagerank
