// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory.
#pragma once

#include "finesync/device/cell.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The unit of a copy: 16 bytes, aligned.
struct alignas(16) quad {
  std::uint32_t words[4];
};

/// Starts a copy of 4, 8 or 16 bytes to the block's own shared memory. Until wait_for_copies() no
/// thread may write the source or access the destination; the host executor reports it.
/// PTX ISA, "cp.async"; before Ampere the copy is complete on return.
template <class Type>
__device__ __forceinline__ void copy_async(cell<Type>& to, const cell<Type>& from) {
  static_assert((sizeof(Type) == 4 || sizeof(Type) == 8 || sizeof(Type) == 16) &&
                alignof(Type) == sizeof(Type));
#ifdef FINESYNC_HOST_EXECUTOR
  simt::begin_copy(&to, &from, sizeof(Type), nullptr);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto there = static_cast<std::uint32_t>(__cvta_generic_to_shared(&to));
  const std::size_t here = __cvta_generic_to_global(&from);
  if constexpr (sizeof(Type) == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(there), "l"(here) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(there), "l"(here),
                 "n"(sizeof(Type))
                 : "memory");
  }
#else
  const Type value = from;
  to = value;
#endif
}

/// Waits for all copies that the calling thread started. Other threads see them after the next
/// block barrier.
__device__ __forceinline__ void wait_for_copies() {
#ifdef FINESYNC_HOST_EXECUTOR
  simt::wait_for_copies(nullptr);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
