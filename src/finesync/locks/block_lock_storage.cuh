// SPDX-License-Identifier: Apache-2.0
// Shared memory that a lock needs in each block while a kernel runs. Most locks need none; a type
// `block_storage` in the lock (cohort_lock) requests some. One kernel can thus use locks of either
// kind.
#pragma once

#include "finesync/locks/lock_table.cuh"

namespace finesync::inline FINESYNC_ABI {

template <class Lock>
concept has_block_storage = requires {
  typename Lock::block_storage;
};

/// The storage of one block for the first `Locks` locks of a table; a member of the kernel's
/// shared_storage. All threads of all blocks must call open() before use and close() after it.
template <class Lock, unsigned Locks>
class block_lock_storage {
 public:
  __device__ void open() {}
  __device__ Lock lock(const lock_table_ref<Lock>& locks, unsigned index) { return locks[index]; }
  __device__ void close() {}
};

template <has_block_storage Lock, unsigned Locks>
class block_lock_storage<Lock, Locks> {
 public:
  __device__ void open() {
    for (typename Lock::block_storage& mine : slots_) Lock::open(mine);
  }
  __device__ Lock lock(const lock_table_ref<Lock>& locks, unsigned index) {
    return Lock(locks.state(index), slots_[index]);
  }
  __device__ void close() { Lock::close(); }

 private:
  typename Lock::block_storage slots_[Locks];
};

}  // namespace finesync::inline FINESYNC_ABI
