// Contracts that kernels must keep.
#pragma once

#include "finesync/device/platform.cuh"

#ifdef FINESYNC_HOST_EXECUTOR
#include <stdexcept>
#endif

namespace finesync {
inline namespace FINESYNC_ABI {

/// Ends the kernel at once unless `holds`: for what would else hang, or overwrite what is not its
/// own. On the host executor the launch throws std::logic_error with `contract` as its text. On a
/// GPU the kernel traps: the next checked call throws cuda_error, and the process can launch no
/// more.
__device__ __forceinline__ void require(bool holds, [[maybe_unused]] const char* contract) {
  if (holds) return;
#ifdef FINESYNC_HOST_EXECUTOR
  throw std::logic_error(contract);
#else
  __trap();
#endif
}

/// The same for misuse that a GPU is not to spend time on: there it is not checked.
__device__ __forceinline__ void require_on_executor([[maybe_unused]] bool holds,
                                                    [[maybe_unused]] const char* contract) {
#ifdef FINESYNC_HOST_EXECUTOR
  require(holds, contract);
#endif
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
