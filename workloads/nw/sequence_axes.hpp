// What a command line says of sequences.
#pragma once

#include <workloads/common/inputs/input_axis.hpp>

namespace finesync::nw {

/// Inputs are `rodinia`, and files of which each two that follow each other are one, or the last
/// alone where it has both sequences.
workload::asked_inputs inputs_asked_for(int argc, char** argv);

}  // namespace finesync::nw
