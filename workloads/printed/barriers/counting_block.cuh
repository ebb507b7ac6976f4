// SPDX-License-Identifier: Apache-2.0
// What the barriers of HeteroSync and the thesis, as printed, have in common: their fences, their
// counters, and how a block arrives and waits.
#pragma once

#include <finesync/barriers/tree_barrier.cuh>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/awaited.hpp>
#include <finesync/device/cell.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/watchdog.cuh>

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// __threadfence() wherever a listing has a fence. For the blocks of an SM the listings have
/// __threadfence_block(), which orders nothing between two blocks.
struct printed_fences {
  __device__ static void release() { fence<memory_order::seq_cst, scope::device>(); }
  __device__ static void acquire_release() { fence<memory_order::seq_cst, scope::device>(); }
  __device__ static void acquire() { fence<memory_order::seq_cst, scope::device>(); }
};

/// A count of the blocks that have arrived. A look that finds it full resets it. No ordering.
class arrival_count {
 public:
  /// \param full number of blocks that arrive.
  __device__ arrival_count(cell<std::uint32_t>& count, std::uint32_t full)
      : count_(count), full_(full) {}

  /// HeteroSync's atomicInc with a limit that the count never reaches.
  __device__ void add() const { count_.fetch_add(1, memory_order::relaxed); }

  /// A compare-exchange of the full count for zero. \returns the count before it.
  __device__ std::uint32_t look() const {
    std::uint32_t found = full_;
    count_.compare_exchange(found, 0, memory_order::relaxed);
    return found;
  }
  __device__ bool was_full(std::uint32_t found) const { return found == full_; }

 private:
  atomic_ref<std::uint32_t, scope::device> count_;
  std::uint32_t full_;
};

/// A block whose first thread synchronizes it with others, with a block barrier after each step, as
/// in the listings. Its functions are called by all threads. When the watchdog has ended a wait,
/// the block's further steps do nothing, and all_ok() tells all threads.
class counting_block {
 public:
  __device__ explicit counting_block(const watchdog_ref& watchdog) : watchdog_(watchdog) {}

  /// \tparam Fences release() comes before the addition.
  template <class Fences>
  __device__ void arrive(const arrival_count& arrived) {
    __syncthreads();
    if (acts()) {
      Fences::release();
      arrived.add();
    }
    __syncthreads();
  }

  /// Repeats look(), by the first thread, until it returns true. \param pause called by all threads
  /// after a look that returned false.
  template <class Look, class Pause>
  __device__ void look_until(awaited whom, Look look, Pause pause) {
    bounded_wait wait(watchdog_, whom);
    while (true) {
      bool waits = acts() && !look();
      if (waits) waits = ok_ = !wait.timed_out();
      if (__syncthreads_or(is_first_of_block() && !waits) != 0) return;
      pause();
    }
  }
  template <class Look>
  __device__ void look_until(awaited whom, Look look) {
    look_until(whom, look, [] {});
  }

  /// Polls a word by the first thread until it equals `wanted`; then all_ok() must follow.
  template <class Fences>
  __device__ void poll_until(cell<std::uint32_t>& word, std::uint32_t wanted, awaited whom) {
    if (!acts()) return;
    ok_ = await_value<no_backoff>(word, wanted, watchdog_, whom);
    Fences::acquire();
  }

  /// Ends a barrier. \returns false, for all threads alike, if the watchdog ended a wait.
  __device__ bool all_ok() const { return __syncthreads_or(!ok_) == 0; }

 private:
  __device__ bool acts() const { return is_first_of_block() && ok_; }

  watchdog_ref watchdog_;
  bool ok_ = true;  ///< the first thread's
};

}  // namespace finesync::inline FINESYNC_ABI
