// SPDX-License-Identifier: Apache-2.0
// The word that guards a semaphore's count: a try-lock, entered by a CAS and left by an exchange,
// with full fences inside. Device scope.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

/// \returns whether the calling thread now holds the word, which was 0.
__device__ inline bool try_lock(cell<std::uint32_t>& lock) {
  std::uint32_t expected = 0;
  const atomic_ref<std::uint32_t, scope::device> word(lock);
  if (!word.compare_exchange(expected, 1, memory_order::relaxed)) return false;
  fence<memory_order::seq_cst, scope::device>();
  return true;
}

__device__ inline void unlock(cell<std::uint32_t>& lock) {
  fence<memory_order::seq_cst, scope::device>();
  atomic_ref<std::uint32_t, scope::device>(lock).exchange(0, memory_order::relaxed);
}

}  // namespace detail

}  // namespace finesync::inline FINESYNC_ABI
