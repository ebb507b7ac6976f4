// Entries of the catalogue that a program runs. Plain C++ without any library.
#pragma once

#include <bench/experiment.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace finesync::workload {

/// Makes the experiment of a primitive. \throws bench::infeasible for what the primitive or the
/// machine does not support, launch_error if the grid cannot be co-resident, std::bad_alloc if
/// device memory is used up.
template <class RunConfig>
using make_experiment = std::unique_ptr<bench::experiment>(const RunConfig& config);

/// A primitive for a program's run configurations.
template <class RunConfig>
struct catalogue_entry {
  const char* name;
  const char* help;  ///< one line
  make_experiment<RunConfig>* make;
  std::vector<std::string> axes = {};  ///< axes of this primitive only
  /// Values of axes that the command line leaves at "auto".
  std::map<std::string, unsigned> defaults = {};
  const char* may_be_wrong = "";  ///< why its results may be, if it is incorrect
  bool aside = false;             ///< see bench::primitive
};

/// The maker for primitives that the host executor lacks.
template <class RunConfig>
std::unique_ptr<bench::experiment> needs_a_gpu(const RunConfig& /*config*/) {
  throw bench::infeasible("this primitive is part of CUDA and runs only on GPUs");
}

/// The maker for primitives that need NCCL, in a build without it.
template <class RunConfig>
std::unique_ptr<bench::experiment> needs_nccl(const RunConfig& /*config*/) {
  throw bench::infeasible("this primitive is made of NCCL, which this build does not have");
}

/// The same for NVSHMEM.
template <class RunConfig>
std::unique_ptr<bench::experiment> needs_nvshmem(const RunConfig& /*config*/) {
  throw bench::infeasible("this primitive is made of NVSHMEM, which this build does not have");
}

}  // namespace finesync::workload
