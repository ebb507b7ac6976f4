// SPDX-License-Identifier: Apache-2.0
// The word of a try-lock, 1 while it is held. Offers the relaxed operations that a multi_lock
// (multi_lock.cuh) needs; their caller adds the fences.
#pragma once

#include "finesync/device/atomic_ref.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Base of the try-locks in this folder.
/// \tparam Acquire, Release the orders of the fences after acquiring and before releasing.
template <scope Scope, memory_order Acquire, memory_order Release>
class try_lock_base {
 public:
  struct state {
    cell<std::uint32_t> held;
  };

  static constexpr scope lock_scope = Scope;
  static constexpr bool may_give_up = true;  ///< a waiter leaves no mark (try_exclusive.cuh)
  static constexpr memory_order acquire_order = Acquire;
  static constexpr memory_order release_order = Release;

  template <class Acquisition>
  __device__ bool try_acquire_relaxed(Acquisition&) {
    return take(memory_order::relaxed);
  }
  template <class Acquisition>
  __device__ void release_relaxed(Acquisition&) {
    held_.store(0, memory_order::relaxed);
  }
  template <class Acquisition>
  __device__ void cancel(Acquisition&) {
    held_.exchange(0, memory_order::relaxed);
  }
  __device__ const void* address() const { return held_.where(); }
  __device__ bool is_free() { return held_.load(memory_order::relaxed) == 0; }

 protected:
  __device__ explicit try_lock_base(state& s) : held_(s.held) {}

  __device__ bool take(memory_order order) {
    std::uint32_t expected = 0;
    return held_.compare_exchange(expected, 1, order);
  }

  atomic_ref<std::uint32_t, Scope> held_;
};

}  // namespace finesync::inline FINESYNC_ABI
