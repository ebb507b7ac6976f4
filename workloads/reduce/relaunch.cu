// The end of a kernel as the barrier: two kernels a round, in a CUDA graph.
#include "reduction_experiment.cuh"

#include <finesync/device/dependent_launch.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/host/launch_graph.cuh>
#include <workloads/common/grid.cuh>

#include <memory>

namespace finesync::reduce {

namespace {

/// In a dependent launch the words are summed while the kernels before still run.
__global__ void __maxnreg__(32) sum_shares(words_ref words, results_ref results, unsigned round) {
  assume_one_dimension();
  launch_next_kernel();
  const std::uint64_t share = block_sum(sum_of_thread(words), shared_storage<block_memory>().share);
  wait_for_previous_kernel();
  if (threadIdx.x == 0) results.put(round, share);
}

/// One block.
__global__ void add_all_shares(results_ref results, unsigned blocks, unsigned round) {
  assume_one_dimension();
  launch_next_kernel();
  wait_for_previous_kernel();
  add_shares(results, round, blocks, shared_storage<block_memory>().total);
}

class relaunch_experiment final : public reduction_experiment {
 public:
  relaunch_experiment(const run_config& config, kernel_order order)
      : reduction_experiment(config, workload::grid_for(config, sizeof(block_memory), sum_shares)),
        rounds_(stream(), order) {
    for (unsigned round = 0; round < config.rounds; ++round) {
      launch_independent(rounds_, sum_shares, shape(), words(), results(), round);
      launch_independent(rounds_, add_all_shares,
                         {.blocks = 1,
                          .threads_per_block = config.threads_per_block,
                          .shared_bytes = sizeof(block_memory)},
                         results(), shape().blocks, round);
    }
  }

  void launch() override { rounds_.launch(); }

 private:
  launch_graph rounds_;
};

std::unique_ptr<bench::experiment> relaunched(const run_config& config, kernel_order order) {
  applications::require_kernel_end(config.form);
  return std::make_unique<relaunch_experiment>(config, order);
}

}  // namespace

std::unique_ptr<bench::experiment> make_graph_relaunch(const run_config& config) {
  return relaunched(config, kernel_order::after_end);
}
std::unique_ptr<bench::experiment> make_dependent_launch(const run_config& config) {
  return relaunched(config, kernel_order::dependent);
}

}  // namespace finesync::reduce
