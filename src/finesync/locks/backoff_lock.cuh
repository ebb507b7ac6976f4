// Test-and-test-and-set with back-off: looks before it tries, and sleeps between looks.
//
// Participants: threads.             Scope: template parameter.
// Ordering: acquire on the CAS, release on the unlocking store; the looks are relaxed.
// Progress: deadlock-free, no fairness; those that come fresh win over those that sleep.
// Residency: none needed.
// Traffic: one load per look, one CAS per look that finds it free, one store per release.
// Reset: zero the state.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"

#include <cstdint>

namespace finesync {

template <scope Scope, class Backoff>
class backoff_lock {
 public:
  struct state {
    cell<std::uint32_t> held;
  };
  struct request {
    Backoff backoff;
  };

  __device__ explicit backoff_lock(state& s) : held_(s.held) {}

  __device__ bool enter(request&) {
    if (held_.load(memory_order::relaxed) != 0) return false;
    std::uint32_t expected = 0;
    return held_.compare_exchange(expected, 1, memory_order::acquire);
  }
  __device__ void wait(request& r) { r.backoff.wait(1); }
  __device__ void leave(request&) { held_.store(0, memory_order::release); }

 private:
  atomic_ref<std::uint32_t, Scope> held_;
};

}  // namespace finesync
