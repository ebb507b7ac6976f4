// SPDX-License-Identifier: Apache-2.0
// Prefetching.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync::inline FINESYNC_ABI {

/// Loads the sector of global memory at `target` into the SM's own cache, without waiting. Only a
/// hint; the host executor ignores it.
__device__ __forceinline__ void prefetch([[maybe_unused]] const void* target) {
#ifndef FINESYNC_HOST_EXECUTOR
  asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(target)));
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
