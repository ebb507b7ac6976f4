// Groups of data that stay where they are in global memory, and of which every block may be told
// when it is its turn: a flag per group says how many rounds the group has behind it.
//
//|  block k, round r:      wait_for(group, r) ── sections ── barrier of the block ── tell(group, r + 1)
//|                                                                                   │
//|  block j, round r + 1:                                      wait_for(group, r + 1) <──┘
//
// Participants: one thread of a block waits, and one tells, for the others; a barrier of the block
//   stands between wait_for() and their accesses to the group, and between those and tell().
// Scope: device.
// Ordering: tell() releases, the wait_for() that it ends acquires. With the two barriers of the
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
class ready_flags_ref {
 public:
  struct alignas(line_bytes) flag {
    cell<std::uint32_t> rounds;
  };

  explicit ready_flags_ref(flag* flags) : flags_(flags) {}

  /// \param rounds that the group has behind it when the caller may have it; no less are waited for
  /// than that, and there are never more.
  /// \returns false when the watchdog ended the wait.
  __device__ bool wait_for(unsigned group, std::uint32_t rounds,
                           const watchdog_ref& watchdog) const {
    const auto seen = rounds_of(group);
    bounded_wait wait(watchdog, awaited::blocks);
    while (seen.load(memory_order::relaxed) != rounds) {
      if (wait.timed_out()) return false;
    }
    fence<memory_order::acquire, scope::device>();  // once, rather than at every poll
    return true;
  }

  __device__ void tell(unsigned group, std::uint32_t rounds) const {
    fence<memory_order::release, scope::device>();
    rounds_of(group).store(rounds, memory_order::relaxed);
  }

 protected:
  __device__ atomic_ref<std::uint32_t, scope::device> rounds_of(unsigned group) const {
    return atomic_ref<std::uint32_t, scope::device>(flags_[group].rounds);
  }

 private:
  flag* flags_;
};

/// Owns the flags of some groups.
class ready_flags {
 public:
  using ref_type = ready_flags_ref;

  /// \throws std::bad_alloc when device memory is used up.
  explicit ready_flags(unsigned groups, const stream& home = {}) : flags_(groups, home) {}

  /// Queues it.
  void reset() { flags_.reset(); }
  ready_flags_ref ref() const { return ready_flags_ref(flags_.data()); }

 private:
  zeroed_states<ready_flags_ref::flag> flags_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
