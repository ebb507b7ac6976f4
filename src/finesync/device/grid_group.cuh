// SPDX-License-Identifier: Apache-2.0
// All threads of a cooperative grid, as a group with a barrier.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/watchdog.cuh"

#ifndef FINESYNC_HOST_EXECUTOR
#include <cooperative_groups.h>
#endif

#include <cstdint>
#include <utility>

namespace finesync::inline FINESYNC_ABI {

/// The barrier of CUDA Cooperative Groups. On a GPU it is CUDA's own, with a private counter and no
/// watchdog. The host executor implements the same algorithm (the thesis, listing 2.4): blocks add
/// 1, and block 0 adds enough for the sum of all to flip the counter's sign, which all blocks wait
/// for.
class grid_group {
 public:
  /// Zero before its first kernel; each sync() leaves it ready for the next.
  struct state {
    cell<std::uint32_t> arrived;
  };

  __device__ grid_group([[maybe_unused]] state& s, [[maybe_unused]] const watchdog_ref& watchdog)
#ifdef FINESYNC_HOST_EXECUTOR
      : arrived_(s.arrived),
        watchdog_(watchdog)
#endif
  {
  }

  /// Waits for all threads of the grid, and orders memory among them at device scope.
  /// \returns false if the watchdog ended the wait.
  __device__ bool sync() const {
#ifdef FINESYNC_HOST_EXECUTOR
    return wait(arrive());
#else
    cooperative_groups::this_grid().sync();
    return true;
#endif
  }

  /// The split-phase form, by all threads: what a thread did before arrive() is ordered before what
  /// other threads do after wait(). \returns the argument for wait().
  __device__ std::uint32_t arrive() const {
#ifdef FINESYNC_HOST_EXECUTOR
    __syncthreads();
    if (!is_first_of_block()) return 0;
    fence<memory_order::release, scope::device>();
    return arrived_.fetch_add(block_rank() == 0 ? sign - (grid_blocks() - 1) : 1,
                              memory_order::relaxed);
#else
    return cooperative_groups::this_grid().barrier_arrive();
#endif
  }

  __device__ bool wait(std::uint32_t before) const {
#ifdef FINESYNC_HOST_EXECUTOR
    bool gave_up = false;
    if (is_first_of_block()) {
      bounded_wait wait(watchdog_, awaited::blocks);
      while (((arrived_.load(memory_order::relaxed) ^ before) & sign) == 0 && !gave_up) {
        gave_up = wait.timed_out();
      }
      fence<memory_order::acquire, scope::device>();
    }
    return __syncthreads_or(gave_up) == 0;
#else
    cooperative_groups::this_grid().barrier_wait(std::move(before));
    return true;
#endif
  }

#ifdef FINESYNC_HOST_EXECUTOR
 private:
  static constexpr std::uint32_t sign = 0x80000000;

  atomic_ref<std::uint32_t, scope::device> arrived_;
  watchdog_ref watchdog_;
#endif
};

}  // namespace finesync::inline FINESYNC_ABI
