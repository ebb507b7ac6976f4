// Copies from global to shared memory that go on while the thread does other things.
#pragma once

#include "finesync/device/cell.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// What is copied at a time: 16 bytes, aligned.
struct alignas(16) quad {
  std::uint32_t words[4];
};

/// Begins a copy to the block's own shared memory. Until wait_for_copies() nobody may write the one
/// place or touch the other. PTX ISA, "cp.async"; before Ampere, and on the executor, the copy is
/// done when this returns.
__device__ __forceinline__ void copy_async(cell<quad>& to, const cell<quad>& from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(&to))),
               "l"(__cvta_generic_to_global(&from))
               : "memory");
#else
  to = from;
#endif
}

/// All copies that the calling thread began are done. Others see them behind the next barrier of
/// the block.
__device__ __forceinline__ void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace FINESYNC_ABI
}  // namespace finesync
