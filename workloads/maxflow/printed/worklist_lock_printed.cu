#include "worklist_lock_printed.cuh"

#include <finesync/locks/spin_lock.cuh>

#include <memory>

namespace finesync::maxflow {

/// Under Listing 1's lock.
std::unique_ptr<bench::experiment> make_worklist_lock_printed(const run_config& config) {
  return std::make_unique<worklist_lock_experiment<spin_lock<scope::device>>>(config);
}

}  // namespace finesync::maxflow
