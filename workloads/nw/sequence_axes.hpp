// Sequences given on the command line.
#pragma once

#include <workloads/common/inputs/input_axis.hpp>

namespace finesync::nw {

/// Inputs are `rodinia`, pairs of consecutive files, or a single last file with both sequences.
workload::input_axis make_input_axis(int argc, char** argv);

}  // namespace finesync::nw
