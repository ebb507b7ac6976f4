// SPDX-License-Identifier: Apache-2.0
// The standard streams of a program: open from its start, and checked at its end.
#pragma once

#include <string_view>

namespace finesync::bench {

/// Takes the places of standard streams that are closed, so that no file that the program opens
/// becomes its standard output.
void occupy_standard_streams();

/// Writes out stdout, to which the program has written by functions that do not throw. If output is
/// lost, says so in a line on stderr. \returns `status`, or 2 if that is 0 and output is lost
int with_output_written(std::string_view program, int status);

}  // namespace finesync::bench
