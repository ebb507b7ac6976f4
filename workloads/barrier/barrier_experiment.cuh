// The experiment with any barrier of finesync/barriers.
#pragma once

#include "grid_experiment.cuh"

#include <finesync/barriers/counter_plan.cuh>
#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/common/effective_parameters.hpp>
#include <workloads/common/grid.cuh>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace finesync::barrier {

/// Members that offer the barrier of an SM's blocks, too.
template <class Member>
concept waits_on_sm = requires(Member member) {
  member.wait_on_sm();
};

/// How the news of the last arrival travelled.
inline void add_plan(bench::facts& ran, const counter_plan& plan) {
  ran["meeting"] = std::string(plan.how == meeting::one_hop     ? "one_hop"
                               : plan.how == meeting::sm_groups ? "sm_groups"
                                                                : "gather_scatter");
  workload::add_fact(ran, "lines", plan.lines);
  workload::add_fact(ran, "replicas", plan.replicas);
  workload::add_fact(ran, "sides", plan.sides);
  workload::add_fact(ran, "first_poll_cycles", plan.first_poll);
}

/// `Barrier` is a host owner as grid_barrier.cuh describes it.
template <class Barrier>
class barrier_experiment final : public grid_experiment {
 public:
  /// \param plan what the owner's constructor takes besides the shape.
  template <class... Plan>
  explicit barrier_experiment(const setup& how, const Plan&... plan)
      : barrier_experiment(workload::grid_of(how, resident(how)), how, plan...) {}

  /// The same on another grid.
  template <class... Plan>
  barrier_experiment(const launch_shape& shape, const setup& how, const Plan&... plan)
      : grid_experiment(how, shape), barrier_(shape, plan...) {}

  /// How many blocks the whole GPU holds of whichever kernel of a point takes the most room.
  static unsigned resident(const setup& how, unsigned cluster_blocks = 1) {
    const launch_shape block{.threads_per_block = how.threads_per_block,
                             .cluster_blocks = cluster_blocks};
    const unsigned blocks = workload::resident_of_all(
        block, run_rounds<handle, idle>, run_rounds<handle, grid_exchange>, run_litmus<handle>);
    if (!how.local_exchange) return blocks;
    if constexpr (has_local)
      return std::min(blocks, workload::resident_of_all(block, run_rounds<handle, local_exchange>));
    else
      throw bench::infeasible("it has no barrier for the blocks of one SM");
  }

  void reset() override {
    grid_experiment::reset();
    barrier_.reset();
  }

  bench::facts ran() const override {
    bench::facts ran = grid_experiment::ran();
    workload::add_facts_of<typename handle::participant>(ran);
    if constexpr (requires { barrier_.plan(); }) add_plan(ran, barrier_.plan());
    return ran;
  }

  void launch() override {
    if constexpr (has_local) {
      if (how().local_exchange) return start(local_work());
    }
    with_grid_work([this](const auto& work) { start(work); });
  }

 private:
  using handle = decltype(std::declval<const Barrier&>().ref());
  static_assert(grid_barrier<handle>);
  static constexpr bool has_local = waits_on_sm<typename handle::participant>;

  template <class Work>
  void start(const Work& work) {
    launch_cooperative(run_rounds<handle, Work>, shape(), barrier_.ref(), work, how().rounds,
                       left_over(), timeout());
  }

  void start_litmus(const litmus& test) override {
    launch_cooperative(run_litmus<handle>, shape(), barrier_.ref(), test, how().litmus.rounds,
                       timeout());
  }

  Barrier barrier_;
};

}  // namespace finesync::barrier
