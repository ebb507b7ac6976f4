// SPDX-License-Identifier: Apache-2.0
// Relaxed read-modify-writes of system scope, and additions of device scope, on words of device
// memory, of this GPU or of another.
//
// As in global_atomic_ref.cuh, the words are known to be in device memory: through a pointer that
// may also refer to shared memory, such an operation becomes a loop that waits for its result.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Adds, and returns the value before.
__device__ __forceinline__ std::uint64_t add_to_system_word(cell<std::uint64_t>& word,
                                                            std::uint64_t value) {
#ifdef FINESYNC_HOST_EXECUTOR
  return atomic_ref<std::uint64_t, scope::system>(word).fetch_add(value, memory_order::relaxed);
#else
  std::uint64_t before;
  asm volatile("atom.relaxed.sys.global.add.u64 %0, [%1], %2;"
               : "=l"(before)
               : "l"(__cvta_generic_to_global(&word)), "l"(value)
               : "memory");
  return before;
#endif
}

/// Adds, at system or device scope. No thread waits for it.
template <scope Scope>
__device__ __forceinline__ void increase_word(cell<std::uint32_t>& word, std::uint32_t value) {
  static_assert(Scope == scope::system || Scope == scope::device);
#ifdef FINESYNC_HOST_EXECUTOR
  atomic_ref<std::uint32_t, Scope>(word).fetch_add(value, memory_order::relaxed);
#else
  const std::size_t address = __cvta_generic_to_global(&word);
  if constexpr (Scope == scope::system)
    asm volatile("red.relaxed.sys.global.add.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
  else
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
#endif
}

/// Makes the word at least `value`. No thread waits for it.
__device__ __forceinline__ void raise_system_word(cell<std::uint64_t>& word, std::uint64_t value) {
#ifdef FINESYNC_HOST_EXECUTOR
  atomic_ref<std::uint64_t, scope::system>(word).fetch_max(value, memory_order::relaxed);
#else
  asm volatile("red.relaxed.sys.global.max.u64 [%0], %1;"
               :
               : "l"(__cvta_generic_to_global(&word)), "l"(value)
               : "memory");
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
