#include "escrow_transfers.cuh"
#include "full_empty_experiment.cuh"

#include <memory>

namespace finesync::atm {

std::unique_ptr<bench::experiment> make_escrow(const run_config& config) {
  return std::make_unique<full_empty_experiment<escrow_transfers<scope::device>>>(config);
}

}  // namespace finesync::atm
