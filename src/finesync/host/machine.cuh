// The few things a program may set or ask about the machine that runs its kernels, the same call on
// both machines: on a GPU which device, on the host executor its geometry, schedule and memory
// mode.
#pragma once

#include "finesync/host/machine_options.hpp"

#ifndef FINESYNC_HOST_EXECUTOR
#include "finesync/host/cuda/machine.cuh"
#endif
