// What hostile inputs are made of: PTX modules that are right.
#pragma once

#include <string>
#include <vector>

namespace ptx_hostile {

/// Modules with functions, tables, local memory, printf, malloc, mbarriers, copies, clusters,
/// atomics.
std::vector<std::string> whole_modules();

/// A kernel for each case of tests/executor/ptx/opcodes.
std::vector<std::string> single_instructions();

}  // namespace ptx_hostile
