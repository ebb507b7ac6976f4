// The try-lock loop with the orderings it needs and no more; a back-off policy between tries is
// optional. Where few threads compete a try is better than a poll: it is the same one trip to the
// L2, and it may succeed.
//
// Participants: threads.             Scope: template parameter.
// Ordering: acquire on the CAS, release on the unlocking store.
// Progress: deadlock-free, no fairness; a thread can starve.   Residency: none needed.
// Traffic: one CAS per try, one store per release.
// Reset: zero the state.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/backoff.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

template <scope Scope, class Backoff = no_backoff>
class spin_ordered_lock {
 public:
  using backoff_policy = Backoff;

  struct state {
    cell<std::uint32_t> held;
  };
  struct request {
    Backoff backoff;
  };

  __device__ explicit spin_ordered_lock(state& s) : held_(s.held) {}

  __device__ request arrive() { return {}; }
  __device__ bool enter(request&) {
    std::uint32_t expected = 0;
    return held_.compare_exchange(expected, 1, memory_order::acquire);
  }
  __device__ void wait(request& r) { r.backoff.wait(1); }
  __device__ void leave(request&) { held_.store(0, memory_order::release); }

  // In a lock_set.
  static constexpr scope reach = Scope;
  static constexpr memory_order claim_order = memory_order::acquire;
  static constexpr memory_order drop_order = memory_order::release;
  __device__ bool claim(request&) {
    std::uint32_t expected = 0;
    return held_.compare_exchange(expected, 1, memory_order::relaxed);
  }
  __device__ void drop(request&) { held_.store(0, memory_order::relaxed); }
  __device__ void withdraw(request&) { held_.exchange(0, memory_order::relaxed); }
  __device__ bool is_free() { return held_.load(memory_order::relaxed) == 0; }

 private:
  atomic_ref<std::uint32_t, Scope> held_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
