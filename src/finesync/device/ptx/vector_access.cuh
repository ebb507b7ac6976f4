// SPDX-License-Identifier: Apache-2.0
// Four 32-bit words in one instruction, each word atomic.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/ptx/copy_async.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Reads four words of the block's own shared memory, relaxed, device scope: one instruction and
/// four accesses (PTX ISA, "Vector Data-types"), so some words may be older than others. For words
/// that each show whether they are valid; message_128.cuh has a single access. \param words aligned
/// to 16 bytes.
__device__ __forceinline__ quad load_shared_words(cell<std::uint32_t>* words) {
  quad found;
#ifdef FINESYNC_HOST_EXECUTOR
  for (unsigned i = 0; i < 4; ++i) {
    found.words[i] = atomic_ref<std::uint32_t, scope::device>(words[i]).load(memory_order::relaxed);
  }
#else
  asm volatile("ld.relaxed.gpu.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(found.words[0]), "=r"(found.words[1]), "=r"(found.words[2]),
                 "=r"(found.words[3])
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(words)))
               : "memory");
#endif
  return found;
}

/// The same for global memory.
__device__ __forceinline__ quad load_words(cell<std::uint32_t>* words) {
  quad found;
#ifdef FINESYNC_HOST_EXECUTOR
  found = load_shared_words(words);
#else
  asm volatile("ld.relaxed.gpu.global.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(found.words[0]), "=r"(found.words[1]), "=r"(found.words[2]),
                 "=r"(found.words[3])
               : "l"(__cvta_generic_to_global(words))
               : "memory");
#endif
  return found;
}

/// Writes four words in the same way, to global memory or to the shared memory of a block of the
/// cluster.
__device__ __forceinline__ void store_words(cell<std::uint32_t>* words, const quad& value) {
#ifdef FINESYNC_HOST_EXECUTOR
  for (unsigned i = 0; i < 4; ++i) {
    atomic_ref<std::uint32_t, scope::device>(words[i]).store(value.words[i], memory_order::relaxed);
  }
#else
  asm volatile("st.relaxed.gpu.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(words), "r"(value.words[0]),
               "r"(value.words[1]), "r"(value.words[2]), "r"(value.words[3])
               : "memory");
#endif
}

/// The same if `holds`, without a branch.
__device__ __forceinline__ void store_words_if(bool holds, cell<std::uint32_t>* words,
                                               const quad& value) {
#ifdef FINESYNC_HOST_EXECUTOR
  if (holds) store_words(words, value);
#else
  asm volatile(
      "{.reg .pred p; setp.ne.u32 p, %0, 0; @p st.relaxed.gpu.v4.b32 [%1], {%2, %3, %4, %5};}" ::
          "r"(static_cast<std::uint32_t>(holds)),
      "l"(words), "r"(value.words[0]), "r"(value.words[1]), "r"(value.words[2]), "r"(value.words[3])
      : "memory");
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
