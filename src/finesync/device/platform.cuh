// Chooses the machine: under nvcc kernels are plain CUDA; in a build for the host executor
// (FINESYNC_HOST_EXECUTOR, set by the `host` preset) the same names come from src/simt. Only
// headers of this folder ask.
#pragma once

#include "finesync/version.hpp"

#ifdef FINESYNC_HOST_EXECUTOR
#include <simt/cuda_names.hpp>
#else
#include <cuda_runtime.h>
#endif

/// FINESYNC_NO_UNROLL before a loop: its iterations stay one after the other, whatever registers
/// there are. FINESYNC_OUT_OF_LINE before a function template: what hardly ever runs stays out of
/// the way of what surrounds it.
#ifdef FINESYNC_HOST_EXECUTOR
#define FINESYNC_NO_UNROLL
#define FINESYNC_OUT_OF_LINE __attribute__((noinline))
#else
#define FINESYNC_NO_UNROLL _Pragma("unroll 1")
#define FINESYNC_OUT_OF_LINE __noinline__
#endif
