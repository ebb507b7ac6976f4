// SPDX-License-Identifier: Apache-2.0
// A conditional store without a branch.
#pragma once

#include "finesync/device/atomic_ref.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// If `holds`, stores to a word of the block's own shared memory: relaxed, block scope, one
/// predicated instruction. After a branch the store would be later by the time that lanes need to
/// diverge.
__device__ __forceinline__ void store_if(bool holds, cell<std::uint32_t>& word,
                                         std::uint32_t value) {
#ifdef FINESYNC_HOST_EXECUTOR
  if (holds) atomic_ref<std::uint32_t, scope::block>(word).store(value, memory_order::relaxed);
#else
  asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 0; @p st.relaxed.cta.shared.b32 [%1], %2;}" ::"r"(
                   static_cast<std::uint32_t>(holds)),
               "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&word))), "r"(value)
               : "memory");
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
