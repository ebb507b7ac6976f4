// Loads for later.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

/// Brings the sector of global memory around `target` into the SM's own cache, and waits for
/// nothing. A hint: nothing depends on it, and the host executor does without.
__device__ __forceinline__ void prefetch([[maybe_unused]] const void* target) {
#ifndef FINESYNC_HOST_EXECUTOR
  asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(target)));
#endif
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
