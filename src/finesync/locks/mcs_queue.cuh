// SPDX-License-Identifier: Apache-2.0
// The queue of an MCS lock. Each participant has a node and learns its successor; its predecessor
// grants it its turn. The lock defines where nodes lie and which message is passed on.
//
// Participants: those that Nodes numbers; each is in the queue at most once at a time.
// Scope: Nodes::lock_scope.
// Ordering: joining orders a node's set-up before its neighbours' use of it; poll() acquires all
//   that was released before the grant. The caller releases: a fence before the grant and close().
// Progress: FIFO. A participant's link directly follows its exchange, so the wait for it is short;
//   but the participant must be able to run.
// Traffic: per passage one exchange, up to four stores, and up to four fences, two of them while
//   others hold the lock; a poll is two loads of the participant's own line.
//
// Nodes offers
//|  static constexpr scope lock_scope     the participating threads
//|  using message                         an integer; 0 means not granted yet
//|  own_atomic<T>                         atomic_ref to words of the caller's own node
//|  cell<std::uint32_t>& tail()           the queue's tail; 0 if the queue is empty
//|  std::uint32_t self()                  the caller's number
//|  node& own(), node& of(number)         { cell<std::uint32_t> next; cell<message> granted; }
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/polling.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <class Nodes>
class mcs_queue {
 public:
  using message = typename Nodes::message;
  struct acquisition {
    std::uint32_t self = 0;
    std::uint32_t next = 0;  ///< number of the successor plus one; 0 while unknown
    bool is_first = false;   ///< the queue was empty: there is no predecessor to grant

    __device__ bool knows_next() const { return next != 0; }
  };

  __device__ explicit mcs_queue(const Nodes& nodes) : nodes_(nodes) {}

  __device__ const void* address() const { return &nodes_.tail(); }
  __device__ acquisition enqueue() {
    const std::uint32_t self = nodes_.self();
    own_word(nodes_.own().next).store(0, memory_order::relaxed);
    own_grant(nodes_.own().granted).store(0, memory_order::relaxed);
    fence<memory_order::release, Nodes::lock_scope>();
    const std::uint32_t before = word(nodes_.tail()).exchange(self + 1, memory_order::relaxed);
    fence<memory_order::acquire, Nodes::lock_scope>();
    if (before != 0) word(nodes_.of(before - 1).next).store(self + 1, memory_order::relaxed);
    return {self, 0, before == 0};
  }

  /// The message of the predecessor; 0: not granted yet. Also polls for the successor, where that
  /// costs nothing and the fence covers it.
  __device__ message poll(acquisition& r) {
    const message granted = poll_once(r);
    if (granted != 0) fence<memory_order::acquire, Nodes::lock_scope>();
    return granted;
  }
  /// Several polls in a row, see polling.cuh.
  __device__ message poll_burst(acquisition& r) {
    message granted = 0;
    const auto is_granted = [&] {
      granted = poll_once(r);
      return granted != 0;
    };
    if (poll_briefly(is_granted)) fence<memory_order::acquire, Nodes::lock_scope>();
    return granted;
  }
  /// Makes poll() return `what` without a predecessor.
  __device__ void grant_self(message what) {
    own_grant(nodes_.own().granted).store(what, memory_order::relaxed);
  }

  /// Polls for a successor; false if there is none yet.
  __device__ bool find_next(acquisition& r) {
    r.next = own_word(nodes_.own().next).load(memory_order::relaxed);
    if (r.next == 0) return false;
    fence<memory_order::acquire, Nodes::lock_scope>();  // its node is set up
    return true;
  }
  /// The word that grants the successor its turn.
  __device__ atomic_ref<message, Nodes::lock_scope> successor(const acquisition& r) const {
    return grant(nodes_.of(r.next - 1).granted);
  }

  /// Leaves the queue empty; false if a successor has joined whose link is still to come.
  __device__ bool close(const acquisition& r) {
    std::uint32_t me = r.self + 1;
    return word(nodes_.tail()).compare_exchange(me, 0, memory_order::relaxed);
  }

 private:
  using word = atomic_ref<std::uint32_t, Nodes::lock_scope>;
  using grant = atomic_ref<message, Nodes::lock_scope>;
  using own_word = typename Nodes::template own_atomic<std::uint32_t>;
  using own_grant = typename Nodes::template own_atomic<message>;

  __device__ message poll_once(acquisition& r) const {
    const message granted = own_grant(nodes_.own().granted).load(memory_order::relaxed);
    r.next = own_word(nodes_.own().next).load(memory_order::relaxed);
    return granted;
  }

  Nodes nodes_;
};

}  // namespace finesync::inline FINESYNC_ABI
