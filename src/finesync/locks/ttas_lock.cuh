// SPDX-License-Identifier: Apache-2.0
// Test-and-test-and-set lock with back-off: makes one attempt at once, then sleeps between polls
// and tries again only if a poll finds the lock free. Without contention that is one round trip, as
// for a plain try-lock; polling first would make it two.
//
// Use: run_exclusive(locks[index], section, watchdog)
// Participants: threads.
// Scope: template parameter.
// Ordering: acquire on the CAS, release on the unlocking store; the polls are relaxed.
// Progress: deadlock-free, no fairness; newly arrived threads beat sleeping ones.
// Residency: none needed.
// Traffic: one CAS at first, then one load per poll and one CAS per poll that finds the lock free;
//   one store per release.
// Reset: zero the state.
#pragma once

#include "finesync/device/backoff.cuh"
#include "finesync/locks/try_lock_base.cuh"

namespace finesync::inline FINESYNC_ABI {

template <scope Scope, class Backoff = exponential_backoff<32, 2048>>
class ttas_lock : public try_lock_base<Scope, memory_order::acquire, memory_order::release> {
  using word = try_lock_base<Scope, memory_order::acquire, memory_order::release>;

 public:
  using backoff_policy = Backoff;

  struct acquisition {
    Backoff backoff;
    bool refused = false;  ///< an attempt has failed
  };

  __device__ explicit ttas_lock(typename word::state& s) : word(s) {}

  __device__ acquisition enqueue() { return {}; }
  __device__ bool try_enter(acquisition& r) { return try_with(memory_order::acquire, r); }
  __device__ void wait(acquisition& r) { r.backoff.wait(1); }
  __device__ void leave(acquisition&) { this->held_.store(0, memory_order::release); }
  __device__ bool try_acquire_relaxed(acquisition& r) { return try_with(memory_order::relaxed, r); }

 private:
  __device__ bool try_with(memory_order order, acquisition& r) {
    if (r.refused && !this->is_free()) return false;
    r.refused = true;
    return this->take(order);
  }
};

}  // namespace finesync::inline FINESYNC_ABI
