// What a command line says of ratings.
#pragma once

#include <workloads/common/asked_inputs.hpp>

namespace finesync::sgd {

/// Inputs are the known generators, parts of what they make, and files, one each.
workload::asked_inputs inputs_asked_for(int argc, char** argv);

}  // namespace finesync::sgd
