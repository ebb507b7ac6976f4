// SPDX-License-Identifier: Apache-2.0
// The rest of the CUDA runtime's functions: a program that calls one ends with a line that names
// it.
#include <cudart/findings.hpp>

#define FINESYNC_REFUSED(function)                                                        \
  extern "C" void function() {                                                            \
    cudart::refuse(#function "() is not supported: see docs/check/check.md for what is"); \
  }
#include <cudart/refused_functions.inc>
