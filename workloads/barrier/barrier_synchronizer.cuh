// The synchronizer of any barrier of finesync/barriers.
#pragma once

#include "grid_synchronizer.cuh"

#include <finesync/barriers/grid_barrier.cuh>
#include <finesync/device/launch.cuh>
#include <workloads/contest/grid.cuh>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace finesync::rendezvous {

/// Members that offer the barrier of an SM's blocks, too.
template <class Member>
concept waits_on_sm = requires(Member member) {
  member.wait_on_sm();
};

/// `Barrier` is a host owner as grid_barrier.cuh describes it.
template <class Barrier>
class barrier_synchronizer final : public grid_synchronizer {
 public:
  /// \param plan what the owner's constructor takes besides the shape.
  template <class... Plan>
  explicit barrier_synchronizer(const setup& how, const Plan&... plan)
      : barrier_synchronizer(
            contest::grid_of(how.blocks_per_sm, how.threads_per_block, resident(how)), how,
            plan...) {}

  /// The same on another grid.
  template <class... Plan>
  barrier_synchronizer(const launch_shape& shape, const setup& how, const Plan&... plan)
      : grid_synchronizer(how, shape), barrier_(shape, plan...) {}

  /// How many blocks the whole GPU holds of whichever kernel of a point takes the most room.
  static unsigned resident(const setup& how, unsigned cluster_blocks = 1) {
    const auto fitting = [&](auto* kernel) {
      return max_resident_blocks(kernel, how.threads_per_block, 0, cluster_blocks);
    };
    const unsigned blocks =
        std::min({fitting(run_rounds<handle, idle>), fitting(run_rounds<handle, grid_exchange>),
                  fitting(run_litmus<handle>)});
    if (!how.local_exchange) return blocks;
    if constexpr (has_local)
      return std::min(blocks, fitting(run_rounds<handle, local_exchange>));
    else
      throw std::invalid_argument("it has no barrier for the blocks of one SM");
  }

  void reset() override {
    grid_synchronizer::reset();
    barrier_.reset();
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
                       dog());
  }

  void start_litmus(const litmus& test) override {
    launch_cooperative(run_litmus<handle>, shape(), barrier_.ref(), test, how().litmus.rounds,
                       dog());
  }

  Barrier barrier_;
};

}  // namespace finesync::rendezvous
