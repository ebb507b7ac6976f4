#include "gpus_lockfree.cuh"

#include <bench/experiment.hpp>

#include <memory>

namespace finesync::ht {

std::unique_ptr<bench::experiment> make_gpus_lockfree(const run_config& config) {
  if (config.section == section_kind::empty)
    throw bench::infeasible("gpus_lockfree has no section to leave empty: it is one operation");
  return std::make_unique<gpus_lockfree_experiment<>>(config);
}

}  // namespace finesync::ht
