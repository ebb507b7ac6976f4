// SPDX-License-Identifier: Apache-2.0
// The owner of a lock of several GPUs, in the process that has all of them.
#pragma once

#include "finesync/host/peers.cuh"
#include "finesync/several_gpus/symmetric_memory.cuh"

#include <cstdint>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Movable, not copyable; does not outlive the peers. \tparam Lock see gpus_queue_lock.cuh and
/// gpus_cohort_lock.cuh.
template <class Lock>
class gpus_lock {
 public:
  using lock_type = Lock;

  /// A free lock. \param options further arguments of the lock's constructor.
  template <class... Options>
  explicit gpus_lock(const peers& all, const Options&... options)
      : memory_(all, sizeof(typename Lock::state) / sizeof(std::uint32_t)) {
    for (unsigned gpu = 0; gpu < all.size(); ++gpu)
      refs_.push_back(Lock(memory_.view(gpu), options...));
  }

  /// For kernels of GPU `me`.
  const Lock& ref(unsigned me) const { return refs_[me]; }

  /// Frees it, also if it is held. Waits for all peers.
  void reset() { memory_.reset(); }

 private:
  symmetric_memory memory_;
  std::vector<Lock> refs_;
};

}  // namespace finesync::inline FINESYNC_ABI
