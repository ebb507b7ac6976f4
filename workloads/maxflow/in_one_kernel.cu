#include "block_queues.cuh"
#include "topological.cuh"

#include <workloads/maxflow/worklist/worklist_experiment.cuh>

#include <memory>

namespace finesync::maxflow {

std::unique_ptr<bench::experiment> make_topological(const setup& how) {
  return std::make_unique<kernel_experiment<no_means<topological>>>(how);
}
std::unique_ptr<bench::experiment> make_in_queue_flag(const setup& how) {
  return std::make_unique<kernel_experiment<flags_of_nodes>>(how);
}
std::unique_ptr<bench::experiment> make_persistent(const setup& how) {
  return std::make_unique<kernel_experiment<no_means<persistent<>>>>(how);
}

}  // namespace finesync::maxflow
