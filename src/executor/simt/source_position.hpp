// SPDX-License-Identifier: Apache-2.0
// Source lines of code addresses, for reports.
#pragma once

#include <string>

namespace simt {

/// What an explain_sites_with() function says of the site; or else the source position of the code
/// address, as "file:line", or the function's name if the program has no line numbers; empty if
/// unknown. Slow: for reports.
std::string source_position(const void* code);

/// The innermost line of it, "file:line"; empty if there is none.
std::string source_line(const void* code);

}  // namespace simt
