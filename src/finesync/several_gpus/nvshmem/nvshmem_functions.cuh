// SPDX-License-Identifier: Apache-2.0
// NVSHMEM's functions for kernels, inlined: without relocatable device code, and without its device
// library. A launch of such a kernel goes through launch_together() with peers of
// nvshmem_processes.cuh, which prepares it. With NVSHMEM_BUILD_P2P_ONLY, which nvshmem_cross.cuh
// defines, the functions serve only GPUs that reach each other's memory, and take fewer registers.
#pragma once

#include "finesync/several_gpus/nvshmem/nvshmem_processes.cuh"  // first

// NVSHMEM 3.8 adds to volatile words and leaves parameters unused.
#pragma nv_diagnostic push
#pragma nv_diag_suppress 3012
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <nvshmem.h>
#include <nvshmemx.h>
#pragma GCC diagnostic pop
#pragma nv_diagnostic pop
