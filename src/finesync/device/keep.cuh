// Computing a value although nobody uses it.
#pragma once

#include "finesync/device/platform.cuh"

#include <cstdint>

namespace finesync {

/// Makes every compiler stage believe that `value` matters, as benchmark::DoNotOptimize does on a
/// CPU. An empty asm statement would convince nvcc but not the assembler behind it, so on a GPU the
/// value guards an instruction with a side effect, a sleep of no time.
__device__ __forceinline__ void keep(std::uint32_t value) {
#ifdef FINESYNC_HOST_EXECUTOR
  asm volatile("" : : "r"(value));
#else
  asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 0x5eed5eed; @p nanosleep.u32 0;}" ::"r"(value));
#endif
}

}  // namespace finesync
