// What locks keep in a block's shared memory while a kernel runs: nothing, but for those that say
// otherwise by a type `block_storage` (cohort_lock). Lets one kernel use locks of either kind.
#pragma once

#include "finesync/locks/lock_table.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

template <class Lock>
concept has_block_storage = requires {
  typename Lock::block_storage;
};

/// The slots of one block for the first `Locks` locks of a table; a part of the kernel's
/// shared_storage. open() before, close() after, by all threads of all blocks, not to be left out.
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

}  // namespace FINESYNC_ABI
}  // namespace finesync
