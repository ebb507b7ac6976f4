// Kernel ends as barriers: each round is a kernel of one launch_graph.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/host/launch_graph.cuh>
#include <workloads/barrier/grid_experiment.cuh>
#include <workloads/common/grid.cuh>

#include <cstdint>
#include <type_traits>

namespace finesync::barrier {

/// \tparam Link joins a round to the one before: `order` of the kernels, and what all threads call
/// first, follow().
template <class Link, class Work>
__global__ void __maxnreg__(32) run_one_round(Work work, std::uint32_t round) {
  assume_one_dimension();
  Link::follow();
  no_barrier::participant no_participant;
  work.begin(no_participant, round);
  work(round, no_participant);
  work.finish();
}

/// Code between two barriers of the litmus test: the reads after the first, the stores before the
/// second.
template <class Link>
__global__ void __maxnreg__(32)
    run_one_litmus_round(litmus test, std::uint32_t round, unsigned rounds) {
  assume_one_dimension();
  Link::follow();
  if (round > 1) test.load(round - 1);
  if (round <= rounds) test.store(round);
  test.finish();
}

template <class Link>
class relaunch_experiment final : public grid_experiment {
 public:
  explicit relaunch_experiment(const run_config& config)
      : grid_experiment(config, shape_of(config)) {
    with_grid_work([&](const auto& work) {
      for (std::uint32_t round = 0; round < config.rounds; ++round)
        launch_independent(rounds_, run_one_round<Link, std::decay_t<decltype(work)>>, shape(),
                           work, round);
    });
  }

  void launch() override { rounds_.launch(); }

 private:
  void start_litmus(const litmus& test) override {
    launch_graph graph(stream(), Link::order);
    const unsigned rounds = config().litmus.rounds;
    for (std::uint32_t round = 1; round <= rounds + 1; ++round)
      launch_independent(graph, run_one_litmus_round<Link>, shape(), test, round, rounds);
    graph.launch();
    stream().synchronize();  // the graph must outlive its kernels
  }

  // Residency is not needed, but without it a round would differ from the other primitives' rounds.
  static launch_shape shape_of(const run_config& config) {
    if (config.local_exchange)
      throw bench::infeasible("a kernel's end is no barrier of one SM: use --local-exchange no");
    return workload::grid_for(config, 0, run_one_round<Link, idle>,
                              run_one_round<Link, grid_exchange>);
  }

  launch_graph rounds_{stream(), Link::order};
};

}  // namespace finesync::barrier
