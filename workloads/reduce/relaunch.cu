// The end of a kernel as the barrier, in a CUDA graph: two kernels a round, or one that also adds
// the shares of the round before.
#include "reduction_experiment.cuh"

#include <finesync/device/dependent_launch.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/host/launch_graph.cuh>
#include <workloads/common/grid.cuh>

#include <memory>

namespace finesync::reduce {

namespace {

/// In a dependent launch the words are summed while the kernels before still run.
template <barrier_form Form>
__global__ void __maxnreg__(32) sum_shares(words_ref words, results_ref results, unsigned round) {
  assume_one_dimension();
  auto& shared = shared_storage<block_memory>();
  launch_next_kernel();
  const std::uint64_t share = block_sum(sum_of_thread(words), shared.share);
  wait_for_previous_kernel();
  if (threadIdx.x == 0) results.put<Form>(round, share);
  if (Form == barrier_form::split_phase && blockIdx.x == 0 && round != 0)
    add_shares<Form>(results, round - 1, gridDim.x, shared.total);
}

/// One block.
template <barrier_form Form>
__global__ void add_all_shares(results_ref results, unsigned blocks, unsigned round) {
  assume_one_dimension();
  launch_next_kernel();
  wait_for_previous_kernel();
  add_shares<Form>(results, round, blocks, shared_storage<block_memory>().total);
}

template <barrier_form Form>
class relaunch_experiment final : public reduction_experiment {
 public:
  relaunch_experiment(const run_config& config, kernel_order order)
      : reduction_experiment(config,
                             workload::grid_for(config, sizeof(block_memory), sum_shares<Form>)),
        rounds_(stream(), order) {
    for (unsigned round = 0; round < config.rounds; ++round) {
      launch_independent(rounds_, sum_shares<Form>, shape(), words(), results(), round);
      if (Form == barrier_form::split_phase && round + 1 != config.rounds) continue;
      launch_independent(rounds_, add_all_shares<Form>,
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
  if (config.form == barrier_form::blocking)
    return std::make_unique<relaunch_experiment<barrier_form::blocking>>(config, order);
  return std::make_unique<relaunch_experiment<barrier_form::split_phase>>(config, order);
}

}  // namespace

std::unique_ptr<bench::experiment> make_graph_relaunch(const run_config& config) {
  return relaunched(config, kernel_order::after_end);
}
std::unique_ptr<bench::experiment> make_dependent_launch(const run_config& config) {
  return relaunched(config, kernel_order::dependent);
}

}  // namespace finesync::reduce
