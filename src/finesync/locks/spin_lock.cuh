// SPDX-License-Identifier: Apache-2.0
// The paper's global lock (ASPLOS'19, Listing 1): a try-lock loop with full fences.
//
// Use: run_exclusive(locks[index], section, watchdog)
// Participants: threads.
// Scope: template parameter.
// Ordering: sequentially consistent fences after the CAS and before the unlocking exchange. The
//   listing prints the second. It leaves the first inside try_lock; that one is needed wherever
//   reads may hit an L1 (since Volta by default).
// Progress: deadlock-free, no fairness; a thread can starve.
// Residency: none needed.
// Traffic: one CAS per attempt, one exchange per release, two fences. Every attempt writes to the
//   line.
// Reset: zero the state.
#pragma once

#include "finesync/device/fence.cuh"
#include "finesync/locks/try_lock_base.cuh"

namespace finesync::inline FINESYNC_ABI {

template <scope Scope>
class spin_lock : public try_lock_base<Scope, memory_order::seq_cst, memory_order::seq_cst> {
  using word = try_lock_base<Scope, memory_order::seq_cst, memory_order::seq_cst>;

 public:
  struct acquisition {};

  __device__ explicit spin_lock(typename word::state& s) : word(s) {}

  __device__ acquisition enqueue() { return {}; }
  __device__ bool try_enter(acquisition&) {
    if (!this->take(memory_order::relaxed)) return false;
    fence<memory_order::seq_cst, Scope>();
    return true;
  }
  __device__ void wait(acquisition&) {}
  __device__ void leave(acquisition& r) {
    fence<memory_order::seq_cst, Scope>();
    release_relaxed(r);
  }
  __device__ void release_relaxed(acquisition& r) {
    this->cancel(r);
  }  // an exchange, as in the listing
};

}  // namespace finesync::inline FINESYNC_ABI
