// Full/empty records: an exchange takes the record out while a thread holds it.
#include "minimum_experiment.cuh"

#include <workloads/mst/minimum/full_empty_minimum.cuh>

#include <memory>

namespace finesync::mst {

std::unique_ptr<bench::experiment> make_full_empty(const run_config& config) {
  return std::make_unique<minimum_experiment<warp_filtered<full_empty_minimum>>>(config);
}

}  // namespace finesync::mst
