// What the verification of broken variants says.
#pragma once

#include <workloads/maxflow/flow_experiment.cuh>

#include <tests/library/harness/harness.hpp>
#include <tests/primitives.hpp>

namespace finesync::maxflow {

/// The error message of the first seed with a wrong result.
template <class Experiment>
std::string complaint_of_experiment(const run_config& config, unsigned seeds = 40) {
  return test::first_complaint(
      test::strong, seeds,
      [&] { return workload::ending(*std::make_unique<Experiment>(config)).reason; },
      test::races::pass);
}
/// The same of the versions that are one kernel.
template <class Resources>
std::string complaint_of(const run_config& config, unsigned seeds = 40) {
  return complaint_of_experiment<kernel_experiment<Resources>>(config, seeds);
}

inline bool says(const std::string& complaint, const std::string& what) {
  return complaint.find(what) != std::string::npos;
}

}  // namespace finesync::maxflow
