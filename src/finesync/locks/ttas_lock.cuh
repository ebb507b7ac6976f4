// Test-and-test-and-set with back-off: tries once at once, then sleeps between polls and tries
// again only when a poll finds the lock free. Without contention that is one round trip, as for a
// plain try-lock; polling first would make it two.
//
// Participants: threads.             Scope: template parameter.
// Ordering: acquire on the CAS, release on the unlocking store; the polls are relaxed.
// Progress: deadlock-free, no fairness; those that come fresh win over those that sleep.
// Residency: none needed.
// Traffic: one CAS at first, then one load per poll and one CAS per poll that finds the lock free;
// one store per release.
// Reset: zero the state.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

template <scope Scope, class Backoff>
class ttas_lock {
 public:
  using backoff_policy = Backoff;

  struct state {
    cell<std::uint32_t> held;
  };
  struct request {
    Backoff backoff;
    bool refused = false;  ///< has tried and failed
  };

  __device__ explicit ttas_lock(state& s) : held_(s.held) {}

  __device__ request arrive() { return {}; }
  __device__ bool enter(request& r) { return try_with<memory_order::acquire>(r); }
  __device__ void wait(request& r) { r.backoff.wait(1); }
  __device__ void leave(request&) { held_.store(0, memory_order::release); }

  // In a lock_set.
  static constexpr scope reach = Scope;
  static constexpr memory_order claim_order = memory_order::acquire;
  static constexpr memory_order drop_order = memory_order::release;
  __device__ bool claim(request& r) { return try_with<memory_order::relaxed>(r); }
  __device__ void drop(request&) { held_.store(0, memory_order::relaxed); }
  __device__ void withdraw(request&) { held_.exchange(0, memory_order::relaxed); }
  __device__ bool is_free() { return held_.load(memory_order::relaxed) == 0; }

 private:
  template <memory_order Order>
  __device__ bool try_with(request& r) {
    if (r.refused && held_.load(memory_order::relaxed) != 0) return false;
    r.refused = true;
    std::uint32_t expected = 0;
    return held_.compare_exchange(expected, 1, Order);
  }

  atomic_ref<std::uint32_t, Scope> held_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
