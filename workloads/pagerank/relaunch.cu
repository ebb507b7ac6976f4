// The end of a kernel as the barrier: a kernel per round, in a CUDA graph of as many rounds as any
// graph of this size may need. The kernels behind the last round end at once.
#include "ranking_experiment.cuh"

#include <finesync/host/launch_graph.cuh>
#include <workloads/common/grid.cuh>

#include <cmath>
#include <memory>

namespace finesync::pagerank {

namespace {

__global__ void __maxnreg__(32) start_ranks(ranking_ref ranking) {
  put_first_ranks(ranking);
}

__global__ void __maxnreg__(32) rank_once(ranking_ref ranking, unsigned round) {
  if (!goes_on(ranking, round - 1)) return;
  vote(ranking, round, rank_round(ranking, round).run(shared_storage<block_memory>()));
}

/// The sum of all residuals is at most `vertices` * (1 - damping) at first, and damping times as
/// large in each round. One more round makes up for rounding.
unsigned most_rounds(std::uint32_t vertices, float enough) {
  const double first_sum = vertices * (1.0 - run_config::damping);
  if (first_sum <= enough) return 1;
  const double rounds = std::log(enough / first_sum) / std::log(double{run_config::damping});
  return static_cast<unsigned>(std::ceil(rounds)) + 1;
}

class relaunch_experiment final : public ranking_experiment {
 public:
  explicit relaunch_experiment(const run_config& config)
      : ranking_experiment(config, workload::grid_for(config, sizeof(block_memory), rank_once)) {
    launch_independent(rounds_, start_ranks, shape(), ranking());
    for (unsigned round = 1; round <= most_rounds(vertices(), config.enough); ++round)
      launch_independent(rounds_, rank_once, shape(), ranking(), round);
  }

  void launch() override { rounds_.launch(); }

 private:
  launch_graph rounds_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_graph_relaunch(const run_config& config) {
  return std::make_unique<relaunch_experiment>(config);
}

}  // namespace finesync::pagerank
