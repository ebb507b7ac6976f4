// Breadth-first search that looks up or down, whichever is less work, with the best barrier.
#include "direction_optimizing.cuh"

#include <finesync/barriers/autotuned_barrier.cuh>

#include <memory>

namespace finesync::bfs {

std::unique_ptr<bench::experiment> make_direction_optimizing(const run_config& config) {
  if (config.form != traversal::barrier_form::blocking)
    throw bench::infeasible("its rounds need all vertices of a level: no overlap");
  return std::make_unique<direction_optimizing_experiment<autotuned_barrier>>(config);
}

}  // namespace finesync::bfs
