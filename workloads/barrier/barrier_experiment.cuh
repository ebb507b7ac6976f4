// The experiment for any barrier of finesync/barriers.
#pragma once

#include "grid_experiment.cuh"

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/barrier/plan_parameters.hpp>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/grid.cuh>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

namespace finesync::barrier {

/// Participants that also offer the barrier of an SM's blocks.
template <class Participant>
concept waits_on_sm = requires(Participant participant) {
  participant.wait_on_sm();
};

/// Adds the plan of a barrier that has one, and the table with it.
template <class Barrier>
void add_plan_of(bench::parameters& effective, const Barrier& barrier) {
  if constexpr (requires { barrier.plan(); }) {
    add_plan(effective, barrier.plan());
    effective["l2_sides_by"] = std::string(barrier.map().shown_by());
  }
  if constexpr (requires { barrier.plan_table_name(); })
    effective["plan_table"] = std::string(barrier.plan_table_name());
}

/// `Barrier` is an owner, see grid_barrier.cuh.
template <class Barrier>
class barrier_experiment final : public grid_experiment {
 public:
  /// \param plan further arguments of the owner's constructor, after the shape.
  template <class... Plan>
  explicit barrier_experiment(const run_config& config, const Plan&... plan)
      : barrier_experiment(workload::grid_of(config, resident(config)), config, plan...) {}

  /// The same on a given grid.
  template <class... Plan>
  barrier_experiment(const launch_shape& shape, const run_config& config, const Plan&... plan)
      : grid_experiment(config, shape), barrier_(shape, plan...) {}

  /// The number of blocks that fit on the GPU, for the kernel of this point that needs most room.
  static unsigned resident(const run_config& config, unsigned cluster_blocks = 1) {
    const launch_shape block{.threads_per_block = config.threads_per_block,
                             .cluster_blocks = cluster_blocks};
    const unsigned blocks = workload::resident_of_all(block, run_rounds<ref_type, idle>,
                                                      run_rounds<ref_type, grid_exchange>,
                                                      run_litmus<ref_type, grid_litmus_words>);
    if (!config.local_exchange) return blocks;
    if constexpr (has_local)
      return std::min(blocks,
                      workload::resident_of_all(block, run_rounds<ref_type, local_exchange>));
    else
      throw bench::infeasible(
          "this primitive has no barrier for the blocks of one SM: use --local-exchange no");
  }

  void reset() override {
    grid_experiment::reset();
    barrier_.reset();
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = workload::with_parameters_of<typename ref_type::participant>(
        grid_experiment::effective_parameters());
    add_plan_of(effective, barrier_);
    return effective;
  }

  void launch() override {
    if constexpr (has_local) {
      if (config().local_exchange) return start(local_work());
    }
    with_grid_work([this](const auto& work) { start(work); });
  }

 private:
  using ref_type = decltype(std::declval<const Barrier&>().ref());
  static_assert(grid_barrier<ref_type>);
  static constexpr bool has_local = waits_on_sm<typename ref_type::participant>;

  template <class Work>
  void start(const Work& work) {
    launch_cooperative(run_rounds<ref_type, Work>, shape(), barrier_.ref(), work, config().rounds,
                       left_over(), timeout());
  }

  void start_litmus(const litmus& test) override {
    launch_cooperative(run_litmus<ref_type, grid_litmus_words>, shape(), barrier_.ref(), test,
                       config().litmus.rounds, timeout());
  }

  Barrier barrier_;
};

}  // namespace finesync::barrier
