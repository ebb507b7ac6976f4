// SPDX-License-Identifier: Apache-2.0
// An event count (Reed and Kanodia, 1979): a word that counts what has happened, and only grows.
//
//|  writes ── add() ─────────────> count
//|                                   │ polls
//|            await(target) <────────┘ ── reads
//
// Use: count.add() after the writes; if (!count.await(target, watchdog)) return; before the reads
// Participants: any number of threads. A block's barrier separates its threads' accesses from those
//   of the thread that adds or awaits for them.
// Scope: device, or that of its fences.
// Ordering: add() and advance_to() release, the await() that they end acquires. Additions are one
//   release sequence: a waiter sees what all of them released.
// Progress: a waiter waits for the target, in no order among waiters. The lanes of a warp that do
//   not wait stand still meanwhile: what they have to do comes before or after.
// Residency: those that add must be resident, or will be without the waiter's end.
// Traffic: an addition or a store, and a load per poll.
// Reset: none. The count goes on from round to round, and may wrap around: a target is less than
//   2^31 from the count.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/polling.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/device/wrap_around.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The fences of an event count, as a policy, so that tests can leave one out.
struct event_fences {
  static constexpr scope of_counts = scope::device;

  /// Before an addition.
  __device__ static void release() { fence<memory_order::release, scope::device>(); }
  /// After the last poll: once, not at every poll.
  __device__ static void acquire() { fence<memory_order::acquire, scope::device>(); }
};

template <class Fences = event_fences>
class event_count {
 public:
  __device__ explicit event_count(cell<std::uint32_t>& count) : count_(count) {}

  /// \returns false when the watchdog ended the wait.
  __device__ bool await(std::uint32_t target, const watchdog_ref& watchdog) const {
    bounded_wait wait(watchdog, awaited::event);
    std::uint32_t seen = 0;
    const auto has_come = [&] {
      seen = count_.load(memory_order::relaxed);
      return has_reached(seen, target);
    };
    while (!poll_briefly(has_come))
      if (wait.timed_out([&] { return wait_evidence{seen, target, count_.where()}; })) return false;
    Fences::acquire();
    return true;
  }

  __device__ void add() const {
    Fences::release();
    add_released();
  }
  /// For the further copies of a count, after the fence of the first.
  __device__ void add_released() const { count_.fetch_add(1, memory_order::relaxed); }

  /// For a count with one producer at a time, which knows it: a store is cheaper than an addition.
  __device__ void advance_to(std::uint32_t count) const {
    Fences::release();
    count_.store(count, memory_order::relaxed);
  }

 private:
  atomic_ref<std::uint32_t, Fences::of_counts> count_;
};

}  // namespace finesync::inline FINESYNC_ABI
