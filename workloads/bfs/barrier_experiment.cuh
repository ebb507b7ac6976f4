// Breadth-first search with any grid barrier of finesync/barriers.
#pragma once

#include <finesync/barriers/grid_barrier.cuh>
#include <workloads/applications/barrier_cost.cuh>
#include <workloads/applications/barrier_grid.cuh>
#include <workloads/bfs/run_config.hpp>
#include <workloads/traversal/search.cuh>
#include <workloads/traversal/search_experiment.cuh>

#include <memory>
#include <type_traits>
#include <utility>

namespace finesync::bfs {

template <class Barrier>
class barrier_experiment final : public traversal::search_experiment {
  using ref_type = decltype(std::declval<const Barrier&>().ref());
  static_assert(grid_barrier<ref_type>);
  using watched = applications::watched_barrier<ref_type>;

 public:
  explicit barrier_experiment(const run_config& config)
      : search_experiment(config, false),
        shape_(applications::grid_for<Barrier>(
            config, traversal::block_queue::bytes(config.threads_per_block),
            traversal::search_levels<ref_type>, traversal::search_levels<watched>)),
        barrier_(shape_) {}

  void reset() override {
    search_experiment::reset();
    barrier_.reset();
  }
  void launch() override { start(barrier_.ref()); }

  bench::counters measure() override {
    return applications::cost_of_barriers(
        barrier_, shape_, timeout(), rounds() + 1.0, [&] { reset(); },
        [&](const auto& barrier) { start(barrier); }, [&] { return verify(); });
  }

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of<typename ref_type::participant>(
        search_experiment::effective_parameters());
  }

 private:
  launch_shape shape() const override { return shape_; }

  template <class BarrierRef>
  void start(const BarrierRef& barrier) {
    launch_cooperative(traversal::search_levels<BarrierRef>, shape_, barrier, search(), timeout());
  }

  launch_shape shape_;
  Barrier barrier_;
};

/// `Barrier` with its back-off, or `WithoutBackoff` (void: no such variant).
template <class Barrier, class WithoutBackoff>
std::unique_ptr<bench::experiment> experiment_with(const run_config& config) {
  if constexpr (!std::is_void_v<WithoutBackoff>) {
    if (!config.backoff) return std::make_unique<barrier_experiment<WithoutBackoff>>(config);
  }
  return std::make_unique<barrier_experiment<Barrier>>(config);
}

}  // namespace finesync::bfs
