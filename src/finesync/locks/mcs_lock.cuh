// SPDX-License-Identifier: Apache-2.0
// MCS lock: a list of waiters, each polling its own node. The lock is one word for any number of
// waiters, so large lock tables stay small.
//
// Use: run_exclusive(locks[index], section, watchdog)
// Participants: all threads of the grid, with a node each in the lock's table. A thread holds or
//   awaits one lock of the table at a time. If a thread without a node arrives, the kernel ends
//   (require.cuh).
// Scope: device. (In shared memory all words are equally near, so nodes gain nothing over
//   ticket_lock.)
// Ordering: acquire when granted, release before granting, by fences (mcs_queue.cuh).
// Progress: FIFO, so starvation-free; every waiter must stay able to run (independent thread
//   scheduling, Volta or later, if lanes of one warp compete). leave() waits if the next thread has
//   joined but not yet linked its node.
// Residency: of all waiters.
// Traffic: one exchange per acquisition, a compare-exchange if no thread follows, two loads per
//   poll, of a line that no other thread polls; four fences, two of them before the wait.
// Reset: zero the state; each use sets up its node.
//
// J. M. Mellor-Crummey and M. L. Scott, "Algorithms for Scalable Synchronization on Shared-Memory
// Multiprocessors", ACM TOCS 9(1), 1991.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/require.cuh"
#include "finesync/locks/mcs_queue.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <scope Scope>
class mcs_lock {
  static_assert(Scope == scope::device, "an mcs_lock has device scope");

 public:
  struct state {
    cell<std::uint32_t> tail;
  };
  struct alignas(line_bytes) node {
    cell<std::uint32_t> next;
    cell<std::uint32_t> granted;
  };

 private:
  struct node_table {
    static constexpr scope lock_scope = scope::device;
    using message = std::uint32_t;
    template <class Type>
    using own_atomic = atomic_ref<Type, lock_scope>;

    state* lock;
    node* nodes;

    __device__ cell<std::uint32_t>& tail() const { return lock->tail; }
    __device__ static std::uint32_t self() {
      return block_rank() * block_threads() + thread_rank();
    }
    __device__ node& own() const { return of(self()); }
    __device__ node& of(std::uint32_t number) const { return nodes[number]; }
  };

 public:
  using queue = mcs_queue<node_table>;
  using acquisition = typename queue::acquisition;

  /// \param nodes one node for each of the grid's first `threads` threads.
  __device__ mcs_lock(state& s, node* nodes, std::uint32_t threads)
      : queue_(node_table{&s, nodes}), threads_(threads) {}

  __device__ const void* address() const { return queue_.address(); }
  __device__ acquisition enqueue() {
    require(node_table::self() < threads_, "mcs_lock: the table was made for fewer threads");
    return queue_.enqueue();
  }
  __device__ bool try_enter(acquisition& r) { return r.is_first || queue_.poll(r) != 0; }
  __device__ bool try_enter_burst(acquisition& r) {
    return r.is_first || queue_.poll_burst(r) != 0;
  }
  __device__ void wait(acquisition&) {}
  __device__ bool leave(acquisition& r) {
    fence<memory_order::release, scope::device>();
    if (!r.knows_next() && !queue_.find_next(r)) return queue_.close(r);
    queue_.successor(r).store(1, memory_order::relaxed);
    return true;
  }

 protected:
  queue queue_;

 private:
  std::uint32_t threads_;
};

}  // namespace finesync::inline FINESYNC_ABI
