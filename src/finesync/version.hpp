// SPDX-License-Identifier: Apache-2.0
// The version of finesync, as https://semver.org counts. It is written here alone: CMake reads it.
#pragma once

#if __cplusplus <= 201703L
#error "finesync needs C++20: compile with -std=c++20"
#ifndef __CUDACC__  // nvcc stops at the error; others at a file that does not exist
#include "see the error above"
#endif
#endif

#if defined(block) || defined(cluster) || defined(device) || defined(system) || defined(Lock) || \
    defined(Word) || defined(max_threads)
#error \
    "a macro has a name of finesync: define block, cluster, device, system, Lock, Word, max_threads after its headers"
#endif

#define FINESYNC_VERSION_MAJOR 0
#define FINESYNC_VERSION_MINOR 3
#define FINESYNC_VERSION_PATCH 0

/// The inline namespace of all that finesync has. It changes whenever what programs link does:
/// parts of one program that were compiled with different versions do not share symbols by
/// accident.
#define FINESYNC_ABI v0_3
