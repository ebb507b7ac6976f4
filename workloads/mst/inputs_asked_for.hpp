// What a command line says of graphs.
#pragma once

#include <workloads/common/asked_inputs.hpp>

namespace finesync::mst {

/// Inputs are the known generators, those of another size, and files, one each.
workload::asked_inputs inputs_asked_for(int argc, char** argv);

}  // namespace finesync::mst
