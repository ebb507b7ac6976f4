// SPDX-License-Identifier: Apache-2.0
// Programmatic dependent launch (Hopper and later): a kernel that starts before the previous one of
// its launch_graph has ended (kernel_order::dependent). Without it, on the host executor and in any
// other launch, kernels run one after the other, and both functions do nothing.
//
// All threads of each kernel of such a chain must wait: a kernel that did not could end before the
// one in front of it, and the next kernel, which waits only for that one's end, would be too early.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Lets the next kernel start once all blocks have called this or ended. It orders no memory.
__device__ __forceinline__ void launch_next_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Waits until the previous kernel has ended and all its writes are visible. No watchdog can end
/// this wait.
__device__ __forceinline__ void wait_for_previous_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
