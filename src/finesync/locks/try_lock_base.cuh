// The word of a try-lock, 1 while somebody holds it, and what a lock_set (lock_set.cuh) asks of
// such a lock: claims and drops whose fences the caller makes.
#pragma once

#include "finesync/device/atomic_ref.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Base of the try-locks of this folder.
/// \tparam Claim, Drop the orders of the fences behind a claim and before a drop.
template <scope Scope, memory_order Claim, memory_order Drop>
class lock_word {
 public:
  struct state {
    cell<std::uint32_t> held;
  };

  static constexpr scope reach = Scope;
  static constexpr memory_order claim_order = Claim;
  static constexpr memory_order drop_order = Drop;

  template <class Request>
  __device__ bool claim(Request&) {
    return take(memory_order::relaxed);
  }
  template <class Request>
  __device__ void drop(Request&) {
    held_.store(0, memory_order::relaxed);
  }
  template <class Request>
  __device__ void withdraw(Request&) {
    held_.exchange(0, memory_order::relaxed);
  }
  __device__ bool is_free() { return held_.load(memory_order::relaxed) == 0; }

 protected:
  __device__ explicit lock_word(state& s) : held_(s.held) {}

  __device__ bool take(memory_order order) {
    std::uint32_t expected = 0;
    return held_.compare_exchange(expected, 1, order);
  }

  atomic_ref<std::uint32_t, Scope> held_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
