// SPDX-License-Identifier: Apache-2.0
// Whether a program has loaded CUDA's own runtime in place of finesync's.
#pragma once

#include <check/runs.hpp>

#include <string>

namespace check {

/// Where it has it from, why, and what to do, in one line; empty if no process of the program has
/// it. Runs the program once more.
std::string other_runtime_of(const request& what);

}  // namespace check
