// SPDX-License-Identifier: Apache-2.0
// An event count (events/event_count.cuh) for each group of data in global memory: the number of
// rounds that the group has completed.
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

#include "finesync/device/cell.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/events/event_count.cuh"
#include "finesync/host/buffer.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The kernel's side; trivially copyable, passed by value.
template <class Fences = event_fences>
class group_rounds_ref {
 public:
  struct alignas(line_bytes) group_state {
    cell<std::uint32_t> rounds;
  };

  explicit group_rounds_ref(group_state* groups) : groups_(groups) {}

  /// \param rounds that the group must have completed before the caller may use it; it completes no
  /// further one before. \returns false when the watchdog ended the wait.
  __device__ bool await(unsigned group, std::uint32_t rounds, const watchdog_ref& watchdog) const {
    return rounds_of(group).await(rounds, watchdog);
  }

  __device__ void advance(unsigned group, std::uint32_t rounds) const {
    rounds_of(group).advance_to(rounds);
  }

 private:
  __device__ event_count<Fences> rounds_of(unsigned group) const {
    return event_count<Fences>(groups_[group].rounds);
  }

  group_state* groups_;
};

/// Owns the counts of some groups.
template <class Fences = event_fences>
class group_rounds {
 public:
  using ref_type = group_rounds_ref<Fences>;

  /// \throws std::bad_alloc when device memory is used up.
  explicit group_rounds(unsigned groups, const stream& on = {}) : groups_(groups, on) {}

  /// Zeroes the counts, in stream order.
  void reset() { groups_.reset(); }
  ref_type ref() const { return ref_type(groups_.device_data()); }

 private:
  zeroed_states<typename ref_type::group_state> groups_;
};

}  // namespace finesync::inline FINESYNC_ABI
