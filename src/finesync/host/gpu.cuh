// SPDX-License-Identifier: Apache-2.0
// Properties of the machine: the current CUDA device, or the GPU that the host executor imitates.
// Host side; safe to include in plain C++ files.
#pragma once

#include "finesync/host/gpu_properties.hpp"
#include "finesync/host/stream.cuh"

#ifndef FINESYNC_HOST_EXECUTOR
#include "finesync/host/cuda/gpu.cuh"
#endif
