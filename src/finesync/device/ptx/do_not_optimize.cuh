// SPDX-License-Identifier: Apache-2.0
// Keeps computations whose results are unused.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Makes every compiler stage treat each value as used, like benchmark::DoNotOptimize on a CPU. An
/// empty asm statement would convince nvcc but not the assembler after it. On a GPU the values
/// therefore guard an instruction with a side effect: a profiler signal with an empty event mask.
/// This takes four instructions and no branch.
__device__ __forceinline__ void do_not_optimize(std::uint32_t a, std::uint32_t b = 0,
                                                std::uint32_t c = 0, std::uint32_t d = 0) {
#ifdef FINESYNC_HOST_EXECUTOR
  asm volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d));
#else
  // The two halves of the comparison are ready at the same time.
  asm volatile(
      "{.reg .pred p; .reg .b32 s, t; lop3.b32 s, %0, %1, %2, 0x96; xor.b32 t, %3, 0x5eed5eed; "
      "setp.eq.u32 p, s, t; @p pmevent.mask 0;}" ::"r"(a),
      "r"(b), "r"(c), "r"(d));
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
