// SPDX-License-Identifier: Apache-2.0
// Settings and queries of the machine that runs a program's kernels, with the same interface on
// both machines: the device on a GPU; geometry, schedule and memory mode on the host executor.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/machine_options.hpp"

#ifndef FINESYNC_HOST_EXECUTOR
#include "finesync/host/cuda/machine.cuh"
#endif
