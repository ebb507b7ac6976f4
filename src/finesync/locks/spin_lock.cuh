// The paper's global lock (ASPLOS'19, Listing 1): a try-lock loop with full fences.
//
// Participants: threads.             Scope: template parameter.
// Ordering: fence after the CAS, and before the unlocking exchange, both sequentially consistent.
//   The listing prints the second; the first, which it leaves inside try_lock, is needed wherever
//   reads may hit an L1 (since Volta by default).
// Progress: deadlock-free, no fairness; a thread can starve.   Residency: none needed.
// Traffic: one CAS per try, one exchange per release, two fences. Every try is a write to the line.
// Reset: zero the state.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

template <scope Scope>
class spin_lock {
 public:
  struct state {
    cell<std::uint32_t> held;
  };
  struct request {};

  __device__ explicit spin_lock(state& s) : held_(s.held) {}

  __device__ request arrive() { return {}; }
  __device__ bool enter(request&) {
    std::uint32_t expected = 0;
    if (!held_.compare_exchange(expected, 1, memory_order::relaxed)) return false;
    fence<memory_order::seq_cst, Scope>();
    return true;
  }
  __device__ void wait(request&) {}
  __device__ void leave(request&) {
    fence<memory_order::seq_cst, Scope>();
    held_.exchange(0, memory_order::relaxed);
  }

 private:
  atomic_ref<std::uint32_t, Scope> held_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
