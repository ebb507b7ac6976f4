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
  __device__ bool enter(request& r) {
    if (!claim(r)) return false;
    fence<claim_order, Scope>();
    return true;
  }
  __device__ void wait(request&) {}
  __device__ void leave(request& r) {
    fence<drop_order, Scope>();
    drop(r);
  }

  // In a lock_set.
  static constexpr scope reach = Scope;
  static constexpr memory_order claim_order = memory_order::seq_cst;
  static constexpr memory_order drop_order = memory_order::seq_cst;
  __device__ bool claim(request&) {
    std::uint32_t expected = 0;
    return held_.compare_exchange(expected, 1, memory_order::relaxed);
  }
  __device__ void drop(request&) { held_.exchange(0, memory_order::relaxed); }
  __device__ void withdraw(request& r) { drop(r); }
  __device__ bool is_free() { return held_.load(memory_order::relaxed) == 0; }

 private:
  atomic_ref<std::uint32_t, Scope> held_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
