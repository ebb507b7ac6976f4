// What a command line says of networks.
#pragma once

#include <workloads/common/asked_inputs.hpp>

namespace finesync::maxflow {

/// Inputs are the known meshes, of --rows and --columns or of a size of their own, and files, one
/// each.
workload::asked_inputs inputs_asked_for(int argc, char** argv);

}  // namespace finesync::maxflow
