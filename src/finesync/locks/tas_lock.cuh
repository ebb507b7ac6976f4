// SPDX-License-Identifier: Apache-2.0
// Test-and-set lock: a try-lock loop with only the orderings it needs and an optional back-off
// between attempts. If few threads compete, an attempt is better than a poll: it costs the same
// round trip to the L2, and it may succeed.
//
// Use: run_exclusive(locks[index], section, watchdog)
// Participants: threads.
// Scope: template parameter.
// Ordering: acquire on the CAS, release on the unlocking store.
// Progress: deadlock-free, no fairness; a thread can starve.
// Residency: none needed.
// Traffic: one CAS per attempt, one store per release.
// Reset: zero the state.
#pragma once

#include "finesync/device/backoff.cuh"
#include "finesync/locks/try_lock_base.cuh"

namespace finesync::inline FINESYNC_ABI {

template <scope Scope, class Backoff = no_backoff>
class tas_lock : public try_lock_base<Scope, memory_order::acquire, memory_order::release> {
  using word = try_lock_base<Scope, memory_order::acquire, memory_order::release>;

 public:
  using backoff_policy = Backoff;

  struct acquisition {
    Backoff backoff;
  };

  __device__ explicit tas_lock(typename word::state& s) : word(s) {}

  __device__ acquisition enqueue() { return {}; }
  __device__ bool try_enter(acquisition&) { return this->take(memory_order::acquire); }
  __device__ void wait(acquisition& r) { r.backoff.wait(1); }
  __device__ void leave(acquisition&) { this->held_.store(0, memory_order::release); }
};

template <scope Scope>
using tas_backoff_lock = tas_lock<Scope, exponential_backoff<32, 2048>>;

}  // namespace finesync::inline FINESYNC_ABI
