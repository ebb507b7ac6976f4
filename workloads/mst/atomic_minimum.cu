// Component records updated by an atomic minimum, without locks.
#include "minimum_experiment.cuh"

#include <memory>

namespace finesync::mst {

std::unique_ptr<bench::experiment> make_atomic_min(const run_config& config) {
  return std::make_unique<minimum_experiment<atomic_min>>(config);
}

}  // namespace finesync::mst
