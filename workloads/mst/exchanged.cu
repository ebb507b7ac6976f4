// Records that are taken out while they are held.
#include "minimum_experiment.cuh"

#include <workloads/mst/minimum/full_empty_minimum.cuh>

#include <memory>

namespace finesync::mst {

std::unique_ptr<bench::experiment> make_exchanged(const setup& how) {
  return std::make_unique<minimum_experiment<one_offer_per_warp<exchanged_minimum>>>(how);
}

}  // namespace finesync::mst
