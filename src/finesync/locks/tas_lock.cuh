// The try-lock loop with the orderings it needs and no more; a back-off policy between tries is
// optional. Where few threads compete a try is better than a poll: it is the same one trip to the
// L2, and it may succeed.
//
// Participants: threads.
// Scope: template parameter.
// Ordering: acquire on the CAS, release on the unlocking store.
// Progress: deadlock-free, no fairness; a thread can starve.
// Residency: none needed.
// Traffic: one CAS per try, one store per release.
// Reset: zero the state.
#pragma once

#include "finesync/device/backoff.cuh"
#include "finesync/locks/try_lock_base.cuh"

namespace finesync {
inline namespace FINESYNC_ABI {

template <scope Scope, class Backoff = no_backoff>
class spin_ordered_lock : public lock_word<Scope, memory_order::acquire, memory_order::release> {
  using word = lock_word<Scope, memory_order::acquire, memory_order::release>;

 public:
  using backoff_policy = Backoff;

  struct request {
    Backoff backoff;
  };

  __device__ explicit spin_ordered_lock(typename word::state& s) : word(s) {}

  __device__ request arrive() { return {}; }
  __device__ bool enter(request&) { return this->take(memory_order::acquire); }
  __device__ void wait(request& r) { r.backoff.wait(1); }
  __device__ void leave(request&) { this->held_.store(0, memory_order::release); }
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
