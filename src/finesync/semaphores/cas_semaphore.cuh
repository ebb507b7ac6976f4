// SPDX-License-Identifier: Apache-2.0
// CAS semaphore: one word counts the permits in use. Entering is a poll and a CAS; leaving is one
// subtraction, which never fails.
//
// Use: run_with_permits(semaphore_ref, permits, section, watchdog)
// Participants: threads.
// Scope: device. (shared_semaphore.cuh has it for a block or a cluster.)
// Ordering: acquire fence after the CAS, release fence before the subtraction. Every access to the
//   word in between is a read-modify-write, so an entry synchronizes with all earlier exits.
// Progress: exits are wait-free; an entry fails only if another thread's CAS succeeded or too few
//   permits are free.
// Residency: of all waiters.
// Fairness: none: a writer starves while readers keep coming.
// Traffic: one load per poll, one CAS per poll that found enough permits, one atomic to leave, all
//   on one line.
// Reset: reset(), or zero the word.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/semaphores/permits.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The device side; trivially copyable, passed by value.
template <class Backoff, scope Scope = scope::device>
class cas_semaphore_ref {
 public:
  struct acquisition {
    Backoff backoff;
    std::uint32_t permits = 0;
  };

  __host__ __device__ cas_semaphore_ref(cell<std::uint32_t>* taken, unsigned size)
      : taken_(taken), size_(size) {}

  __device__ acquisition enqueue(unsigned permits) const {
    require_permits(permits, size_);
    return {.backoff = {}, .permits = permits};
  }
  __device__ bool try_enter(acquisition& r) const {
    std::uint32_t taken = word(*taken_).load(memory_order::relaxed);
    if (r.permits > size_ - taken) return false;
    if (!word(*taken_).compare_exchange(taken, taken + r.permits, memory_order::relaxed))
      return false;
    fence<memory_order::acquire, Scope>();
    return true;
  }
  __device__ void wait(acquisition& r) const { r.backoff.wait(1); }
  __device__ bool leave(acquisition& r) const {
    fence<memory_order::release, Scope>();
    word(*taken_).fetch_add(0 - r.permits, memory_order::relaxed);
    return true;
  }

 private:
  using word = atomic_ref<std::uint32_t, Scope>;

  cell<std::uint32_t>* taken_;
  std::uint32_t size_;
};

template <class Backoff>
class cas_semaphore {
 public:
  using backoff_policy = Backoff;

  /// \throws std::invalid_argument unless the size is 1 to 2^31, std::bad_alloc if device memory is
  /// used up.
  explicit cas_semaphore(unsigned size, const stream& on = {})
      : size_(checked_size(size)), taken_(1, on) {}

  void reset() { taken_.reset(); }

  cas_semaphore_ref<Backoff> ref() const { return {taken_.device_data(), size_}; }

 private:
  unsigned size_;
  zeroed_states<cell<std::uint32_t>> taken_;
};

}  // namespace finesync::inline FINESYNC_ABI
