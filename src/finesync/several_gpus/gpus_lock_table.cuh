// SPDX-License-Identifier: Apache-2.0
// A table of locks that is dealt to several GPUs in turns: lock l is on GPU l mod n. For data that
// are dealt alike, each beside its lock. multi_lock.cuh acquires several of them.
//
// Use: run_exclusive(locks[index], section, watchdog)  // locks = table.ref(me)
// Participants, ordering, progress, traffic, fairness: those of the lock. Its scope is system.
// Residency: that of the lock. Each access to a lock of another GPU crosses the link.
// Reset: reset(), with no kernel running.
#pragma once

#include "finesync/host/peers.cuh"
#include "finesync/locks/lock_table.cuh"
#include "finesync/several_gpus/symmetric_memory.cuh"
#include "finesync/several_gpus/symmetric_view.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The device side; trivially copyable, passed by value.
template <class Lock>
class gpus_lock_table_ref {
 public:
  gpus_lock_table_ref(const symmetric_view& gpus, std::size_t stride)
      : gpus_(gpus), stride_(stride) {}

  __device__ Lock operator[](std::size_t index) const { return Lock(state(index)); }

  /// For locks that need more than their state.
  __device__ typename Lock::state& state(std::size_t index) const {
    return gpus_.dealt<typename Lock::state>(static_cast<std::uint32_t>(index), stride_);
  }

 private:
  symmetric_view gpus_;
  std::size_t stride_;
};

/// Owns `count` free locks. Movable, not copyable; does not outlive its peers.
/// \tparam Lock one whose zero bytes mean free, without nodes of threads.
template <class Lock>
requires(!queues_nodes<Lock>) class gpus_lock_table {
 public:
  /// \throws std::bad_alloc if the memory of a GPU is used up.
  gpus_lock_table(const peers& all, std::uint32_t count, lock_layout layout)
      : stride_(lock_table<Lock>::stride_of(layout)),
        memory_(all, dealt_to(0, all.size(), count) * stride_ / sizeof(std::uint32_t)) {}

  /// For kernels of GPU `me`.
  gpus_lock_table_ref<Lock> ref(unsigned me) const { return {memory_.view(me), stride_}; }
  /// The locks of one GPU alone: lock l is the l / n-th there.
  lock_table_ref<Lock> of_gpu(unsigned gpu) const {
    auto* const first = reinterpret_cast<unsigned char*>(memory_.view(gpu).base[gpu]);
    return {first, stride_, nullptr, 0};
  }

  /// Frees all locks, also those that are held. Waits for all peers.
  void reset() { memory_.reset(); }

 private:
  static_assert(sizeof(typename Lock::state) % sizeof(std::uint32_t) == 0);

  std::size_t stride_;
  symmetric_memory memory_;
};

}  // namespace finesync::inline FINESYNC_ABI
