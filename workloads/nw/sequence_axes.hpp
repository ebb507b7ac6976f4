// What a command line says of sequences.
#pragma once

#include <workloads/common/inputs/input_axis.hpp>

namespace finesync::nw {

/// Inputs are `rodinia`, and files of which each two that follow each other are one, or the last
/// alone where it has both sequences.
workload::input_axis make_input_axis(int argc, char** argv);

}  // namespace finesync::nw
