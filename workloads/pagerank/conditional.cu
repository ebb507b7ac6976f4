// The end of a kernel as the barrier: a CUDA graph of a round and of a kernel of one thread, which
// the device repeats until that thread finds that no other round follows.
#include "ranking_experiment.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/host/repeated_graph.cuh>
#include <workloads/common/grid.cuh>

#include <memory>

namespace finesync::pagerank {

namespace {

__global__ void __maxnreg__(32) start_first_round(ranking_ref ranking, cell<std::uint32_t>* round) {
  assume_one_dimension();
  put_first_ranks(ranking);
  if (blockIdx.x == 0 && threadIdx.x == 0) *round = 1;
}

__global__ void __maxnreg__(32) rank_next(ranking_ref ranking, const cell<std::uint32_t>* round) {
  assume_one_dimension();
  const unsigned now = *round;
  vote(ranking, now, rank_round(ranking, now).run(shared_storage<block_memory>()));
}

/// By one thread.
__global__ void to_next_round(ranking_ref ranking, cell<std::uint32_t>* round,
                              repetition_ref repetition) {
  assume_one_dimension();
  const unsigned now = *round;
  if (!goes_on(ranking, now) || now == ranking.most_rounds) repetition.end();
  *round = now + 1;
}

class conditional_experiment final : public ranking_experiment {
 public:
  explicit conditional_experiment(const run_config& config)
      : ranking_experiment(config, workload::grid_for(config, sizeof(block_memory), rank_next)),
        round_(1) {
    launch_independent(rounds_, rank_next, shape(), ranking(), round_.device_data());
    launch_independent(rounds_, to_next_round, {.blocks = 1, .threads_per_block = 1}, ranking(),
                       round_.device_data(), rounds_.repetition());
  }

  void launch() override {
    launch_independent(start_first_round, shape(), ranking(), round_.device_data());
    rounds_.launch();
  }

 private:
  buffer<std::uint32_t> round_;
  repeated_graph rounds_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_graph_conditional(const run_config& config) {
  return std::make_unique<conditional_experiment>(config);
}

}  // namespace finesync::pagerank
