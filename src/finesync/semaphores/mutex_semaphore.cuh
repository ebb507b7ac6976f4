// What the spin and the priority semaphore share: a plain count of permits, guarded by a try-lock
// that those who enter and those who leave compete for.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/semaphores/permits.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// The kernel's side; trivially copyable, passed by value. `EntryPolicy` decides between those who
/// enter and those who leave:
///|  struct state                                    its word, zero at first
///|  static bool blocks_entries(state&)              polled before each try to enter
///|  static void on_failed_exit(state&)              after a try to leave that did not get the lock
///|  static void on_successful_exit(state&)          after one that did
template <class EntryPolicy, class Backoff>
class mutex_semaphore_ref {
 public:
  // Each on a line of its own. The size is no part of it: it never changes.
  struct state {
    alignas(line_bytes) cell<std::uint32_t> lock;
    alignas(line_bytes) cell<std::uint32_t> taken;  ///< permits in use; whoever has the lock
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
    if (EntryPolicy::blocks_entries(state_->entry_policy) || !try_lock()) return false;
    const std::uint32_t taken = state_->taken;
    r.inside = r.permits <= size_ - taken;
    if (r.inside) state_->taken = taken + r.permits;
    unlock();
    return r.inside;
  }
  /// Leaving is never put off: it is what all others wait for.
  __device__ void wait(acquisition& r) const {
    if (!r.inside) r.backoff.wait(1);
  }
  __device__ bool leave(acquisition& r) const {
    if (!try_lock()) {
      EntryPolicy::on_failed_exit(state_->entry_policy);
      return false;
    }
    state_->taken = state_->taken - r.permits;
    unlock();
    EntryPolicy::on_successful_exit(state_->entry_policy);
    return true;
  }

 private:
  using word = atomic_ref<std::uint32_t, scope::device>;

  __device__ bool try_lock() const {
    std::uint32_t expected = 0;
    if (!word(state_->lock).compare_exchange(expected, 1, memory_order::relaxed)) return false;
    fence<memory_order::seq_cst, scope::device>();
    return true;
  }
  __device__ void unlock() const {
    fence<memory_order::seq_cst, scope::device>();
    word(state_->lock).exchange(0, memory_order::relaxed);
  }

  state* state_;
  std::uint32_t size_;
};

/// Owns the lock, the count and the policy's word.
template <class EntryPolicy, class Backoff>
class mutex_semaphore {
 public:
  using backoff_policy = Backoff;

  /// \throws std::invalid_argument unless the size is 1 to 2^31, std::bad_alloc when device memory
  /// is used up.
  explicit mutex_semaphore(unsigned size, const stream& on = {})
      : size_(checked_size(size)), state_(1, on) {}

  void reset() { state_.reset(); }

  mutex_semaphore_ref<EntryPolicy, Backoff> ref() const { return {state_.device_data(), size_}; }

 private:
  using state = typename mutex_semaphore_ref<EntryPolicy, Backoff>::state;

  unsigned size_;
  zeroed_states<state> state_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
