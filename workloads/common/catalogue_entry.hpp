// Entries of the catalogue that a program runs. Plain C++, without any library.
#pragma once

#include <bench/experiment.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace finesync::workload {

/// Makes the experiment of a primitive. \throws bench::infeasible for what the primitive or the
/// machine cannot do, launch_error when the grid cannot be co-resident, std::bad_alloc when device
/// memory is used up.
template <class RunConfig>
using make_experiment = std::unique_ptr<bench::experiment>(const RunConfig& config);

/// A primitive at whatever setup a program has.
template <class RunConfig>
struct catalogue_entry {
  const char* name;
  const char* help;  ///< one line
  make_experiment<RunConfig>* make;
  std::vector<std::string> axes = {};  ///< that it has and others have not
  /// What it takes where the command line leaves an axis open.
  std::map<std::string, unsigned> defaults = {};
  std::vector<std::string> aliases = {};  ///< its names in the version before
};

/// The maker of what is missing from the host executor.
template <class RunConfig>
std::unique_ptr<bench::experiment> needs_a_gpu(const RunConfig& /*config*/) {
  throw bench::infeasible("it is CUDA's: it runs on GPUs only");
}

}  // namespace finesync::workload
