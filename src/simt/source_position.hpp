// Source lines of code addresses, for reports.
#pragma once

#include <string>

namespace simt {

/// The source position of a code address, as "file:line", or the function's name if the program has
/// no line numbers; empty if unknown. Slow: for reports.
std::string source_position(const void* code);

}  // namespace simt
