#include "block_queues.cuh"
#include "topological.cuh"

#include <workloads/maxflow/worklist/worklist_experiment.cuh>

#include <memory>

namespace finesync::maxflow {

std::unique_ptr<bench::experiment> make_topological(const run_config& config) {
  return std::make_unique<kernel_experiment<no_locks<topological>>>(config);
}
std::unique_ptr<bench::experiment> make_in_queue_flag(const run_config& config) {
  return std::make_unique<kernel_experiment<flags_of_nodes>>(config);
}
std::unique_ptr<bench::experiment> make_block_queues(const run_config& config) {
  return std::make_unique<kernel_experiment<no_locks<block_queues<>>>>(config);
}

}  // namespace finesync::maxflow
