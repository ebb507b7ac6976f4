// SPDX-License-Identifier: Apache-2.0
// Selects the platform. Under nvcc kernels are plain CUDA; in a build for the host executor
// (FINESYNC_HOST_EXECUTOR, set by the `host` preset) the same names come from src/executor/simt.
// Only headers of this folder test for it.
#pragma once

#include "finesync/version.hpp"

#ifdef FINESYNC_HOST_EXECUTOR
#include <simt/cuda_atomics.hpp>
#include <simt/cuda_names.hpp>
#else
#include <cuda_runtime.h>
#endif

/// FINESYNC_NO_UNROLL before a loop keeps its iterations sequential, whatever registers are free.
/// FINESYNC_OUT_OF_LINE before a function template moves rarely executed code out of its
/// surroundings.
#ifdef FINESYNC_HOST_EXECUTOR
#define FINESYNC_NO_UNROLL
#define FINESYNC_OUT_OF_LINE __attribute__((noinline))
#else
#define FINESYNC_NO_UNROLL _Pragma("unroll 1")
#define FINESYNC_OUT_OF_LINE __noinline__
#endif
