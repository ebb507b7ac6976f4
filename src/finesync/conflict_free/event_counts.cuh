// Event counts (Reed and Kanodia, 1979) for groups of data in global memory. One counter per group
// holds the number of rounds that the group has completed.
//
//|  block k, round r:  await(group, r) ── sections ── barrier of the block ── advance(group, r + 1)
//|                                                                              │
//|  block j, round r + 1:                                 await(group, r + 1) <──┘
//
// Use: await(group, round, watchdog), sections, advance(group, round + 1)
// Participants: one thread of a block waits, and one advances, for the others. A barrier of the
//   block separates await() from their accesses to the group, and those from advance().
// Scope: device.
// Ordering: advance() releases; the await() that it ends acquires. With the barriers of the two
//   blocks, all threads of one see what any thread of the other did to the group before.
// Progress: a block waits only for earlier rounds, so no cycle forms among resident blocks.
// Residency: all blocks must be resident, which a cooperative launch guarantees. Every wait is
//   bounded.
// Traffic: one store per round and group, and one load per poll, on a line of its own.
// Reset: zero the counters before each use; rounds are counted from 0.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/host/buffer.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The kernel's side; trivially copyable, passed by value.
class event_counts_ref {
 public:
  struct alignas(line_bytes) event_count {
    cell<std::uint32_t> rounds;
  };

  explicit event_counts_ref(event_count* counts) : counts_(counts) {}

  /// \param rounds exact count that the group must have completed before the caller may use it; the
  /// count never exceeds it.
  /// \returns false when the watchdog ended the wait.
  __device__ bool await(unsigned group, std::uint32_t rounds, const watchdog_ref& watchdog) const {
    const auto seen = rounds_of(group);
    bounded_wait wait(watchdog, awaited::blocks);
    while (seen.load(memory_order::relaxed) != rounds) {
      if (wait.timed_out()) return false;
    }
    fence<memory_order::acquire, scope::device>();  // once, not at every poll
    return true;
  }

  __device__ void advance(unsigned group, std::uint32_t rounds) const {
    fence<memory_order::release, scope::device>();
    rounds_of(group).store(rounds, memory_order::relaxed);
  }

 protected:
  __device__ atomic_ref<std::uint32_t, scope::device> rounds_of(unsigned group) const {
    return atomic_ref<std::uint32_t, scope::device>(counts_[group].rounds);
  }

 private:
  event_count* counts_;
};

/// Owns the counters of some groups.
class event_counts {
 public:
  using ref_type = event_counts_ref;

  /// \throws std::bad_alloc when device memory is used up.
  explicit event_counts(unsigned groups, const stream& on = {}) : counts_(groups, on) {}

  /// Zeroes the counters, in stream order.
  void reset() { counts_.reset(); }
  event_counts_ref ref() const { return event_counts_ref(counts_.device_data()); }

 private:
  zeroed_states<event_counts_ref::event_count> counts_;
};

}  // namespace finesync::inline FINESYNC_ABI
