// Groups of data that stay where they are in global memory, and of which every block may be told
// when it is its turn: a flag per group says how many rounds the group has behind it.
//
//|  block k, round r:      await(group, r) ── sections ── barrier of the block ── advance(group, r + 1)
//|                                                                                   │
//|  block j, round r + 1:                                      await(group, r + 1) <──┘
//
// Participants: one thread of a block waits, and one tells, for the others; a barrier of the block
//   stands between await() and their accesses to the group, and between those and advance().
// Scope: device.
// Ordering: advance() releases, the await() that it ends acquires. With the two barriers of the
//   blocks, what any thread of one did to the group is visible to all threads of the other.
// Progress: a block waits for earlier rounds alone, so there is no cycle among resident blocks.
// Residency: of all blocks, which a cooperative launch guarantees; every wait is bounded.
// Traffic: one store per round and group, one load per poll, on a line of its own.
// Reset: zero the words, before each use; rounds are counted from 0.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/host/buffer.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// The kernel's side; trivially copyable, passed by value.
class event_counts_ref {
 public:
  struct alignas(line_bytes) event_count {
    cell<std::uint32_t> rounds;
  };

  explicit event_counts_ref(event_count* counts) : counts_(counts) {}

  /// \param rounds that the group has behind it when the caller may have it; no less are waited for
  /// than that, and there are never more.
  /// \returns false when the watchdog ended the wait.
  __device__ bool await(unsigned group, std::uint32_t rounds, const watchdog_ref& watchdog) const {
    const auto seen = rounds_of(group);
    bounded_wait wait(watchdog, awaited::blocks);
    while (seen.load(memory_order::relaxed) != rounds) {
      if (wait.timed_out()) return false;
    }
    fence<memory_order::acquire, scope::device>();  // once, rather than at every poll
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

/// Owns the flags of some groups.
class event_counts {
 public:
  using ref_type = event_counts_ref;

  /// \throws std::bad_alloc when device memory is used up.
  explicit event_counts(unsigned groups, const stream& on = {}) : counts_(groups, on) {}

  /// Queues it.
  void reset() { counts_.reset(); }
  event_counts_ref ref() const { return event_counts_ref(counts_.device_data()); }

 private:
  zeroed_states<event_counts_ref::event_count> counts_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
