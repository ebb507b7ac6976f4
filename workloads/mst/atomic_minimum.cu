// An atomic minimum per record, and no lock.
#include "minimum_experiment.cuh"

#include <memory>

namespace finesync::mst {

std::unique_ptr<bench::experiment> make_atomic_minimum(const setup& how) {
  return std::make_unique<minimum_experiment<atomic_minimum>>(how);
}

}  // namespace finesync::mst
