// SPDX-License-Identifier: Apache-2.0
// Preconditions of kernels.
#pragma once

#include "finesync/device/platform.cuh"

#ifdef FINESYNC_HOST_EXECUTOR
#include <stdexcept>
#endif

namespace finesync::inline FINESYNC_ABI {

/// Ends the kernel at once unless `holds`, where it would otherwise hang or overwrite foreign
/// memory. On the host executor the launch throws std::logic_error with the text `contract`. On a
/// GPU the kernel traps: the next checked call throws cuda_error, and the process can launch no
/// further kernel.
__device__ __forceinline__ void require(bool holds, [[maybe_unused]] const char* contract) {
  if (holds) return;
#ifdef FINESYNC_HOST_EXECUTOR
  throw std::logic_error(contract);
#else
  __trap();
#endif
}

/// The same for misuse that costs too much to check on a GPU: only the host executor checks it.
__device__ __forceinline__ void require_on_executor([[maybe_unused]] bool holds,
                                                    [[maybe_unused]] const char* contract) {
#ifdef FINESYNC_HOST_EXECUTOR
  require(holds, contract);
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
