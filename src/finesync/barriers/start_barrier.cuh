// SPDX-License-Identifier: Apache-2.0
// A plain grid barrier for the start of a kernel, where other barriers determine their
// participants: one counter to which all blocks add, and which they poll.
//
// Use: gate.pass(gate.openings() + 1, watchdog)
// Participants: one thread of each block.
// Scope: device.
// Ordering: release before the addition, acquire after the last poll.
// Progress: every block must be resident.
// Traffic: one addition per block, polls of one line.
// Reset: none between launches with the same number of blocks; otherwise zero the word.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/await.cuh"
#include "finesync/device/fence.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

class start_barrier {
 public:
  __device__ start_barrier(cell<std::uint64_t>& word, unsigned blocks)
      : arrived_(word), blocks_(blocks) {}

  /// Number of completed barriers; exact until the caller arrives.
  __device__ std::uint64_t openings() const {
    return arrived_.load(memory_order::relaxed) / blocks_;
  }

  /// \param opening openings() + 1. \returns false if the watchdog ended the wait.
  __device__ bool pass(std::uint64_t opening, const watchdog_ref& watchdog) {
    fence<memory_order::release, scope::device>();
    arrived_.fetch_add(1, memory_order::relaxed);
    const auto all_have_come = [&] {
      return arrived_.load(memory_order::relaxed) >= opening * blocks_;
    };
    if (!await(watchdog, awaited::blocks, all_have_come)) return false;
    fence<memory_order::acquire, scope::device>();
    return true;
  }

 private:
  atomic_ref<std::uint64_t, scope::device> arrived_;
  unsigned blocks_;
};

}  // namespace finesync::inline FINESYNC_ABI
