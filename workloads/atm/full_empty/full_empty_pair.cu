#include "full_empty_experiment.cuh"
#include "full_empty_transfers.cuh"

#include <memory>

namespace finesync::atm {

std::unique_ptr<bench::experiment> make_full_empty_pair(const run_config& config) {
  return std::make_unique<full_empty_experiment<full_empty_transfers<scope::device>>>(config);
}

}  // namespace finesync::atm
