// A search with any grid barrier of finesync/barriers.
#pragma once

#include <finesync/barriers/grid_barrier.cuh>
#include <workloads/applications/barrier_cost.cuh>
#include <workloads/applications/barrier_grid.cuh>
#include <workloads/traversal/overlapped_search.cuh>
#include <workloads/traversal/search_experiment.cuh>
#include <workloads/traversal/search_rounds.cuh>

#include <memory>
#include <type_traits>
#include <utility>

namespace finesync::traversal {

template <class Kind, class BarrierRef, barrier_form Form>
constexpr auto* search_kernel() {
  if constexpr (Form == barrier_form::overlapped)
    return search_overlapped<Kind, BarrierRef>;
  else
    return search_rounds<Kind, BarrierRef, Form>;
}

/// \tparam Kind breadth_first or shortest_paths
template <class Kind, class Barrier, barrier_form Form>
class barrier_experiment final : public search_experiment {
  using ref_type = decltype(std::declval<const Barrier&>().ref());
  static_assert(grid_barrier<ref_type>);
  using watched = applications::watched_barrier<ref_type>;
  static constexpr bool overlaps = Form == barrier_form::overlapped;

 public:
  explicit barrier_experiment(const run_config& config)
      : search_experiment(config, Kind::threshold::holds_back),
        notes_levels_(config.levels),
        shape_(applications::grid_for<Barrier>(config, block_queue::bytes(config.threads_per_block),
                                               search_kernel<Kind, ref_type, Form>(),
                                               search_kernel<Kind, watched, Form>())),
        barrier_(shape_) {}

  void reset() override {
    search_experiment::reset();
    barrier_.reset();
  }
  void launch() override { start(barrier_.ref()); }

  bench::counters measure() override {
    bench::counters seen = applications::cost_of_barriers<overlaps>(
        barrier_, shape_, timeout(), rounds() + 1.0, [&] { reset(); },
        [&](const auto& barrier) { start(barrier); }, [&] { return verify(); });
    if constexpr (!overlaps)
      if (notes_levels_) seen.merge(levels());
    return seen;
  }

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of<typename ref_type::participant>(
        search_experiment::effective_parameters());
  }

 private:
  launch_shape shape() const override { return shape_; }

  /// Of a run of its own: see level_log::by_size().
  bench::counters levels() {
    const applications::barrier_watch watch;
    const applications::level_log log(2 * rounds());  // a search may take another way
    reset();
    start(watch.around(barrier_.ref(), log.ref()));
    bench::expect_ok(verify());
    return log.by_size(rounds(), !current_gpu().simulated);
  }

  template <class BarrierRef>
  void start(const BarrierRef& barrier) {
    launch_cooperative(search_kernel<Kind, BarrierRef, Form>(), shape_, barrier, search(),
                       timeout());
  }

  bool notes_levels_;
  launch_shape shape_;
  Barrier barrier_;
};

/// `Barrier` with its back-off, or `WithoutBackoff` (void: no such variant).
template <class Kind, class Barrier, class WithoutBackoff>
std::unique_ptr<bench::experiment> experiment_with(const run_config& config) {
  if constexpr (!std::is_void_v<WithoutBackoff>) {
    if (!config.backoff) return experiment_with<Kind, WithoutBackoff, void>(config);
  }
  using enum barrier_form;
  using participant = typename decltype(std::declval<const Barrier&>().ref())::participant;
  if (config.form == blocking)
    return std::make_unique<barrier_experiment<Kind, Barrier, blocking>>(config);
  if (config.form == split_phase) {
    if constexpr (supports_split_phase<participant>)
      return std::make_unique<barrier_experiment<Kind, Barrier, split_phase>>(config);
    applications::refuse_split_phase();
  }
  if (config.threads_per_block <= 32)
    throw bench::infeasible("an overlapped barrier needs two warps per block or more");
  if constexpr (supports_overlap<participant>)
    return std::make_unique<barrier_experiment<Kind, Barrier, overlapped>>(config);
  applications::refuse_overlap();
}

}  // namespace finesync::traversal
