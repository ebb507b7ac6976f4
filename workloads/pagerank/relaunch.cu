// The end of a kernel as the barrier: a kernel per round, in a CUDA graph of as many rounds as a
// run may need. The kernels behind the last round end at once.
#include "ranking_experiment.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/host/launch_graph.cuh>
#include <workloads/common/grid.cuh>

#include <memory>

namespace finesync::pagerank {

namespace {

__global__ void __maxnreg__(32) start_ranks(ranking_ref ranking) {
  assume_one_dimension();
  put_first_ranks(ranking);
}

__global__ void __maxnreg__(32) rank_once(ranking_ref ranking, unsigned round) {
  assume_one_dimension();
  if (!goes_on(ranking, round - 1)) return;
  vote(ranking, round, rank_round(ranking, round).run(shared_storage<block_memory>()));
}

class relaunch_experiment final : public ranking_experiment {
 public:
  explicit relaunch_experiment(const run_config& config)
      : ranking_experiment(config, workload::grid_for(config, sizeof(block_memory), rank_once)) {
    launch_independent(rounds_, start_ranks, shape(), ranking());
    for (unsigned round = 1; round <= ranking().most_rounds; ++round)
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
