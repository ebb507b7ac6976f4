// SPDX-License-Identifier: Apache-2.0
// The common part of the spin and the priority semaphore: a plain count of permits, guarded by a
// try-lock that entering and leaving threads compete for.
#pragma once

#include "finesync/host/buffer.cuh"
#include "finesync/semaphores/mutex_word.cuh"
#include "finesync/semaphores/permits.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The device side; trivially copyable, passed by value. `EntryPolicy` arbitrates between entering
/// and leaving threads:
///|  struct state                                    its words, initially zero
///|  static bool blocks_entries(state&)              polled before each attempt to enter
///|  static void on_failed_exit(state&)              after an exit that failed to get the lock
///|  static void on_successful_exit(state&)          after an exit that succeeded
template <class EntryPolicy, class Backoff>
class mutex_semaphore_ref {
 public:
  static constexpr bool exits_wait = true;  ///< an exit may fail

  // Each on its own line. The size is not part of it, as it never changes.
  struct state {
    alignas(line_bytes) cell<std::uint32_t> lock;
    alignas(line_bytes) cell<std::uint32_t> taken;  ///< permits in use; accessed under the lock
    alignas(line_bytes) typename EntryPolicy::state entry_policy;
  };
  struct acquisition {
    Backoff backoff;
    std::uint32_t permits = 0;
    bool inside = false;
  };

  mutex_semaphore_ref(state* s, unsigned size) : state_(s), size_(size) {}

  __device__ acquisition enqueue(unsigned permits) const {
    require_permits(permits, size_);
    return {.backoff = {}, .permits = permits, .inside = false};
  }
  __device__ bool try_enter(acquisition& r) const {
    if (EntryPolicy::blocks_entries(state_->entry_policy) || !detail::try_lock(state_->lock))
      return false;
    const std::uint32_t taken = state_->taken;
    r.inside = r.permits <= size_ - taken;
    if (r.inside) state_->taken = taken + r.permits;
    detail::unlock(state_->lock);
    return r.inside;
  }
  /// Threads that leave never back off, because all others wait for them.
  __device__ void wait(acquisition& r) const {
    if (!r.inside) r.backoff.wait(1);
  }
  __device__ bool leave(acquisition& r) const {
    if (!detail::try_lock(state_->lock)) {
      EntryPolicy::on_failed_exit(state_->entry_policy);
      return false;
    }
    state_->taken = state_->taken - r.permits;
    detail::unlock(state_->lock);
    EntryPolicy::on_successful_exit(state_->entry_policy);
    return true;
  }

 private:
  state* state_;
  std::uint32_t size_;
};

/// Owns the lock, the count and the policy's state.
template <class EntryPolicy, class Backoff>
class mutex_semaphore {
 public:
  using backoff_policy = Backoff;

  /// \throws std::invalid_argument unless the size is 1 to 2^31, std::bad_alloc if device memory is
  /// used up.
  explicit mutex_semaphore(unsigned size, const stream& on = {})
      : size_(checked_size(size)), state_(1, on) {}

  void reset() { state_.reset(); }

  mutex_semaphore_ref<EntryPolicy, Backoff> ref() const { return {state_.device_data(), size_}; }

 private:
  using state = typename mutex_semaphore_ref<EntryPolicy, Backoff>::state;

  unsigned size_;
  zeroed_states<state> state_;
};

}  // namespace finesync::inline FINESYNC_ABI
