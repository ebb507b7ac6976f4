// SPDX-License-Identifier: Apache-2.0
// Source lines of code addresses, for reports.
#pragma once

#include <string>
#include <vector>

namespace simt {

/// A code address, and the return addresses of the calls that led there, innermost first.
struct code_place {
  const void* code = nullptr;
  std::vector<const void*> callers = {};
};

/// What an explain_sites_with() function says of the site; or else its source position, as
/// "file:line", or "file:line, in header:line" if it is in a library (see library_sources()). The
/// function's name if the program has no line numbers; empty if unknown. Slow: for reports.
std::string source_position(const code_place& place);

/// The innermost line of it, "file:line"; empty if there is none.
std::string source_line(const code_place& place);

}  // namespace simt
