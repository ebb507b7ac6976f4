// SPDX-License-Identifier: Apache-2.0
// For kernels on the host executor. The file to include does not exist: the compiler stops there.
#error "the host executor has no <cooperative_groups.h>: use finesync/device/grid_group.cuh"
#include "see the error above"
