// Cohort lock: the blocks of a cluster pass the lock among themselves through distributed shared
// memory, an MCS queue there, and only every so often to another cluster, through an array queue
// in global memory. A hand-off within the cluster spares the trip to the L2.
//
// Participants: the first Threads threads of each block, of all blocks of a grid launched in
//   clusters (launch_shape::cluster_blocks; where there are none, each block is its own cohort).
// Scope: device. Needs shared storage: a `place` per block and lock, opened before and closed after
//   use by all threads of all blocks.
// Ordering: acquire and release by fences, of cluster scope within the cluster and of device scope
//   between clusters; what earlier holders of the cluster wrote goes along (cumulativity).
// Progress: FIFO within a cluster and FIFO among clusters, so starvation-free; unfair for Batch
//   passes at most, after which the cluster queues up behind the others. leave() waits where the
//   next of the cluster has joined and not yet linked itself.     Residency: of all waiters.
// Traffic: within the cluster the exchange, links and messages of mcs_queue, none of which leaves
//   it; per Batch + 1 sections or fewer one acquisition of the array_lock.
// Reset: zero the state; places are set up by open().
//
// Not for tables of locks: the cluster needs a queue per lock in shared memory, 4 bytes each. For
// the 4 M lists of the recorded hash tables that is 16 MiB, where a cluster of 8 has 1.8 MiB; for
// 65,536 it is 32 KiB a block, which leaves 7 blocks on an SM. And it gains only where several of a
// cluster want the same lock at once: of the threads that fill an H200, two in a cluster per lock
// at 256 locks.
//
// D. Dice, V. J. Marathe and N. Shavit, "Lock Cohorting: A General Technique for Designing NUMA
// Locks", PPoPP 2012.
#pragma once

#include "finesync/device/cluster.cuh"
#include "finesync/locks/array_lock.cuh"
#include "finesync/locks/mcs_queue.cuh"

#include <cstdint>

namespace finesync {

template <class Backoff, unsigned Slots = 16, unsigned Batch = 64, unsigned Threads = 1>
class cohort_lock {
  using global_lock = array_lock<scope::device, Backoff, Slots>;

  struct node {
    cell<std::uint64_t> told;
    cell<std::uint32_t> next;
  };

 public:
  using state = typename global_lock::state;
  /// A block's part of the cluster's queue, in its shared memory.
  struct place {
    node nodes[Threads];
    cell<std::uint32_t> tail;  ///< that of the cluster's first block counts
  };

 private:
  struct places {
    static constexpr scope reach = scope::cluster;
    using message = std::uint64_t;
    template <class T>
    using own_atomic = atomic_ref<T, reach, home::own_block>;

    place* mine;

    __device__ cell<std::uint32_t>& tail() const { return in_block(mine->tail, 0); }
    __device__ std::uint32_t self() const { return cluster_rank() * Threads + threadIdx.x; }
    __device__ node& own() const { return mine->nodes[threadIdx.x]; }
    __device__ node& of(std::uint32_t number) const {
      return in_block(mine->nodes[number % Threads], number / Threads);
    }
  };
  using cluster_queue = mcs_queue<places>;

 public:
  struct request {
    typename cluster_queue::request local;
    typename global_lock::request global;  ///< the cluster's
    std::uint32_t passes = 0;              ///< within the cluster, since it has the lock
    bool fetches = false;                  ///< waits for the other clusters
  };

  __device__ cohort_lock(state& s, place& mine) : local_(places{&mine}), global_(s) {}

  /// By all threads of all blocks of the cluster, before any of them uses the lock.
  __device__ static void open(place& mine) {
    if (threadIdx.x == 0) mine.tail = 0u;
    cluster_sync<memory_order::acq_rel>();
  }
  /// By the same, after: no block may end while others may still look into its place.
  __device__ static void close() { cluster_sync<memory_order::acq_rel>(); }

  __device__ request arrive() {
    request r{.local = local_.arrive(), .global = {}};
    if (r.local.is_first) {
      r.global = global_.arrive();
      r.fetches = true;
    }
    return r;
  }
  __device__ bool enter(request& r) {
    if (!r.fetches) {
      const std::uint64_t told = local_.poll(r.local);
      if (told == 0) return false;
      r.global.ticket = static_cast<std::uint32_t>(told);
      r.passes = static_cast<std::uint32_t>(told >> 32);
      if (r.passes <= Batch) return true;
      r.passes = 0;
      r.fetches = true;
    }
    return global_.enter(r.global);
  }
  __device__ void wait(request& r) {
    if (r.fetches) global_.wait(r.global);
  }
  __device__ bool leave(request& r) {
    if (!local_.has_next(r.local)) {
      if (!local_.close(r.local)) return false;
      global_.leave(r.global);
    } else if (r.passes < Batch) {
      fence<memory_order::release, scope::cluster>();
      pass(r);
    } else {
      // The cluster queues up again before it lets go, so that no other overtakes it.
      const typename global_lock::request again = global_.arrive();
      global_.leave(r.global);
      tell(r, again.ticket, Batch + 1);
    }
    return true;
  }

 protected:
  /// Makes the next of the cluster the lock's holder.
  __device__ void pass(const request& r) { tell(r, r.global.ticket, r.passes + 1); }

  cluster_queue local_;

 private:
  /// Passes beyond the batch: the next has the cluster's ticket, and waits for its turn.
  __device__ void tell(const request& r, std::uint32_t ticket, std::uint32_t passes) {
    local_.tell(r.local, std::uint64_t{passes} << 32 | ticket);
  }

  global_lock global_;
};

}  // namespace finesync
