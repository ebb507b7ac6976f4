// He and Hong's kernel ("Dynamically tuned push-relabel algorithm for the maximum flow problem on
// CPU-GPU-hybrid platforms", IPDPS 2010): a thread for each node looks again and again whether the
// node has excess. No lock, no list, and no barrier between its looks.
#include "launched_experiment.cuh"

#include <finesync/device/numbering.cuh>
#include <workloads/maxflow/push_relabel/step.cuh>

#include <cstdint>
#include <memory>

namespace finesync::maxflow {

namespace {

/// \param looks of each thread at its node. With fewer threads than nodes, each has several.
__global__ void __launch_bounds__(max_threads)
    look_at_all_nodes(network_ref net, unsigned looks, progress_ref counts) {
  assume_one_dimension();
  for (unsigned look = 0; look < looks; ++look)
    for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid())
      step_of(net, u);
  if (thread_of_grid() == 0) *counts.rounds = *counts.rounds + 1;
}

class topological_experiment final : public launched_experiment {
 public:
  explicit topological_experiment(const run_config& config)
      : launched_experiment(config, shape_for(config), 0), looks_(config.steps_per_barrier) {}

 protected:
  bool work(std::uint32_t steps) override {
    for (std::uint32_t done = 0; done < steps; done += looks_, count_round())
      launch_independent(look_at_all_nodes, shape(), net(), looks_, counts());
    return false;
  }

 private:
  /// A thread for each node, unless the configuration has a number of blocks.
  static launch_shape shape_for(const run_config& config) {
    check_block(config);
    const std::uint32_t nodes = nodes_of(config);
    const auto sms = static_cast<unsigned>(current_gpu().sms);
    return {.blocks = config.blocks_per_sm != 0 ? config.blocks_per_sm * sms
                                                : (nodes - 1) / config.threads_per_block + 1,
            .threads_per_block = config.threads_per_block};
  }

  unsigned looks_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_topological_printed(const run_config& config) {
  return std::make_unique<topological_experiment>(config);
}

}  // namespace finesync::maxflow
