// SPDX-License-Identifier: Apache-2.0
// Cohort lock: the blocks of a cluster pass the lock among themselves through an MCS queue in
// distributed shared memory. After a bounded number of passes it goes to another cluster, through
// an array queue in global memory. A hand-off within the cluster avoids the round trip to the L2.
//
// A thread that is granted a section holds the lock. A thread may instead be granted the right to
// fetch the lock, or grant it to itself if the queue was empty. It then waits for the cluster's
// ticket and grants itself a section. A waiter thus polls one word and makes one comparison, which
// is most of a hand-off's time.
//
// Use: run_exclusive(storage.lock(locks, index), section, watchdog)  // block_lock_storage.cuh
// Participants: the first Threads threads of each block, of all blocks of a grid launched in
//   clusters (launch_shape::cluster_blocks; without clusters, each block is its own cohort). If
//   another thread arrives, the kernel ends (require.cuh).
// Scope: device. Needs shared storage: a `block_storage` per block and lock, opened before use and
//   closed after it by all threads of all blocks.
// Ordering: acquire and release by fences, of cluster scope within the cluster and of device scope
//   between clusters; writes of earlier holders of the cluster are included (cumulativity).
// Progress: FIFO within a cluster and FIFO among clusters, so starvation-free; unfair for at most
//   MaxLocalPasses sections, then the cluster queues up after the others. leave() waits if the next
//   thread of the cluster has joined but not yet linked its node.
// Residency: of all waiters.
// Traffic: within the cluster the exchange, links and messages of mcs_queue, which stay there;
//   one acquisition of the array_lock per MaxLocalPasses sections or fewer.
// Reset: zero the state; open() sets up the block storage.
//
// Not for large lock tables. A state is a line per slot, 1 MiB by default, and the cluster needs a
// queue per lock in shared memory, 4 bytes each. For the 4 M lists of the recorded hash tables that
// is 16 MiB, where a cluster of 8 has 1.8 MiB. For 65,536 locks it is 32 KiB per block, which
// leaves 7 blocks on an SM. It also gains only if several threads of a cluster want the same lock
// at once. If threads fill an H200, there are two per cluster and lock at 256 locks.
//
// D. Dice, V. J. Marathe and N. Shavit, "Lock Cohorting: A General Technique for Designing NUMA
// Locks", PPoPP 2012.
#pragma once

#include "finesync/device/cluster.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/require.cuh"
#include "finesync/locks/array_lock.cuh"
#include "finesync/locks/mcs_queue.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <scope Scope, class Backoff = proportional_backoff<100, 1000000>, unsigned Slots = 8192,
          unsigned MaxLocalPasses = 64, unsigned Threads = 1>
class cohort_lock {
  static_assert(Scope == scope::device, "a cohort_lock has device scope");

  using global_lock = array_lock<scope::device, Backoff, Slots>;

  struct node {
    cell<std::uint64_t> granted;
    cell<std::uint32_t> next;
  };

 public:
  using backoff_policy = Backoff;
  static constexpr unsigned slots = Slots;
  static constexpr unsigned max_local_passes = MaxLocalPasses;

  using state = typename global_lock::state;
  /// A block's part of the cluster's queue, in its shared memory.
  struct block_storage {
    node nodes[Threads];
    cell<std::uint32_t> tail;  ///< only that of the cluster's first block is used
  };

 private:
  struct cluster_nodes {
    static constexpr scope lock_scope = scope::cluster;
    using message = std::uint64_t;
    template <class Type>
    using own_atomic = atomic_ref<Type, lock_scope, shared_owner::own_block>;

    block_storage* mine;

    __device__ cell<std::uint32_t>& tail() const { return in_block(mine->tail, 0); }
    __device__ std::uint32_t self() const { return cluster_rank() * Threads + thread_rank(); }
    __device__ node& own() const { return mine->nodes[thread_rank()]; }
    __device__ node& of(std::uint32_t number) const {
      return in_block(mine->nodes[number % Threads], number / Threads);
    }
  };
  using cluster_queue = mcs_queue<cluster_nodes>;

 public:
  struct acquisition {
    typename cluster_queue::acquisition local;
    typename global_lock::acquisition global;  ///< that of the cluster
    std::uint32_t section = 0;  ///< number of the section in the cluster's current run, from 1
  };

  __device__ cohort_lock(state& s, block_storage& mine)
      : local_(cluster_nodes{&mine}), global_(s) {}

  /// By all threads of all blocks of the cluster, before any of them uses the lock.
  __device__ static void open(block_storage& mine) {
    if (is_first_of_block()) mine.tail = 0u;
    cluster_sync<memory_order::acq_rel>();
  }
  /// By the same threads, after use: no block may exit while others may still access its storage.
  __device__ static void close() { cluster_sync<memory_order::acq_rel>(); }

  __device__ const void* address() const { return global_.address(); }
  __device__ acquisition enqueue() {
    require(thread_rank() < Threads, "cohort_lock: for the first `Threads` threads of a block");
    acquisition r{.local = local_.enqueue(), .global = {}};
    if (r.local.is_first) {
      r.global = global_.enqueue();
      local_.grant_self(message_of(fetch, r.global.ticket));
    }
    return r;
  }
  __device__ bool try_enter(acquisition& r) { return may_enter(r, local_.poll(r.local)); }
  __device__ bool try_enter_burst(acquisition& r) {
    return may_enter(r, local_.poll_burst(r.local));
  }
  __device__ void wait(acquisition& r) {
    if (r.section != fetch) return;
    if (global_.try_enter_burst(r.global)) {  // the other threads of the cluster wait for this one
      local_.grant_self(message_of(1, r.global.ticket));
    } else {
      global_.wait(r.global);
    }
  }
  __device__ bool leave(acquisition& r) {
    if (!r.local.knows_next()) {
      if (local_.find_next(r.local) || !local_.close(r.local)) return false;
      global_.leave(r.global);
      return true;
    }
    // Computed before the fence, as the next waiter waits for everything after it.
    const auto successor = local_.successor(r.local);
    if (r.section < MaxLocalPasses) {
      fence<memory_order::release, scope::cluster>();
      successor.store(passing(r), memory_order::relaxed);
    } else {
      // The cluster enqueues again before it releases, so that no other cluster overtakes it.
      const typename global_lock::acquisition again = global_.enqueue();
      global_.leave(r.global);
      successor.store(message_of(fetch, again.ticket), memory_order::relaxed);
    }
    return true;
  }

 protected:
  /// The message that makes the cluster's next thread the lock's holder.
  __device__ static std::uint64_t passing(const acquisition& r) {
    return message_of(r.section + 1, r.global.ticket);
  }

  cluster_queue local_;

 private:
  /// In place of a section number: the next thread has the cluster's ticket and waits for its turn.
  static constexpr std::uint32_t fetch = MaxLocalPasses + 1;

  __device__ static bool may_enter(acquisition& r, std::uint64_t granted) {
    r.global.ticket = static_cast<std::uint32_t>(granted);
    r.section = static_cast<std::uint32_t>(granted >> 32);
    return r.section - 1 < MaxLocalPasses;  // excludes 0 (not granted yet) and fetch
  }
  __device__ static std::uint64_t message_of(std::uint32_t section, std::uint32_t ticket) {
    return std::uint64_t{section} << 32 | ticket;
  }

  global_lock global_;
};

}  // namespace finesync::inline FINESYNC_ABI
