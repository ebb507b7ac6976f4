// SPDX-License-Identifier: Apache-2.0
// What follows from a program's file: why it may not have met the replacement of the runtime.
#pragma once

#include <string>

namespace check {

/// What a program has to be built with, in the environment of nvcc 11.5 or newer.
inline constexpr const char* nvcc_flags =
    "-cudart shared --no-compress -g -lineinfo -gencode arch=compute_90,code=compute_90";

/// A library with kernels or launches of its own that the program needs, and that this runtime does
/// not have: "cuBLAS". Empty if there is none.
std::string unsupported_library(const std::string& program);

/// Why a program that ran did not launch a kernel here, in one line.
std::string why_no_launch(const std::string& program);

}  // namespace check
