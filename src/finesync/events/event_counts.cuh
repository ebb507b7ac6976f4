// SPDX-License-Identifier: Apache-2.0
// Events of blocks: any number of blocks arrive, any number wait.
//
//|  producers:  writes ── arrive() ──┬──> copy on side 0 <──polls── consumers on side 0
//|                                   └──> copy on side 1 <──polls── consumers on side 1
//
// Use: const auto event = ref.at(number), once, as it looks up lines; then
//   event.arrive() in a producer, after its writes;
//   if (!event.wait(target, watchdog)) return; in a consumer, before its reads
// Participants: whole blocks. A producer arrives once per round, so `producers` blocks make a count
//   of round * producers, rounds counted from 1. A block may be both.
// Scope: device.
// Ordering: all threads of a consumer see what all threads of the counted producers did before they
//   arrived. Block barrier, one release fence, relaxed additions; relaxed polls, an acquire fence,
//   block barrier. If every warp waits for itself, arrive() is the only block barrier: a warp sees
//   the producers' writes once its own wait has ended.
// Progress: blocking; a consumer waits for arrivals only.
// Residency: producers and consumers, unless all producers of an event precede its consumers in the
//   order in which blocks start.
// Traffic: two additions per arrival. A warp, or all warps, of a consumer poll one word, without a
//   pause. The L2 has two sides, and each consumer polls the copy on its own: the hand-off is some
//   60 ns quicker than from the other side, and of many pollers each side has half.
// Fairness: none needed: an arrival lets all go that wait for it.
// Reset: none between rounds or launches; event_count.cuh says how far ahead a target may be.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/l2_lines.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/events/event_count.cuh"
#include "finesync/host/l2_lines.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Who waits in a consumer.
enum class event_waiters {
  one_warp,    ///< the first warp, for its block: wait() is a block barrier
  every_warp,  ///< each warp for itself; those that need no data need not wait
};

/// Owns some events.
template <event_waiters Waiters = event_waiters::one_warp, class Fences = event_fences>
class event_counts {
 public:
  static constexpr bool waits_for_block = Waiters == event_waiters::one_warp;

  /// One event, as the threads of one block see it.
  class event {
   public:
    __device__ event(const l2_lines_ref& lines, unsigned number)
        : first_(&lines.line(0, number)),
          second_(&lines.line(1, number)),
          polled_(lines.side() == 0 ? first_ : second_) {}

    /// All threads of a producer call it.
    __device__ void arrive() const {
      __syncthreads();
      if (!is_first_of_block()) return;
      event_count<Fences>(*first_).add();
      event_count<Fences>(*second_).add_released();
    }

    /// All threads of a consumer call it, or, if every warp waits for itself, all of a warp.
    /// \returns false when the watchdog ended the wait.
    __device__ bool wait(std::uint32_t target, const watchdog_ref& watchdog) const {
      const event_count<Fences> count(*polled_);
      if constexpr (!waits_for_block) return count.await(target, watchdog);
      bool in_time = true;
      if (thread_rank() < 32) in_time = count.await(target, watchdog);
      return __syncthreads_or(!in_time) == 0;
    }

   private:
    cell<std::uint32_t>* first_;
    cell<std::uint32_t>* second_;
    cell<std::uint32_t>* polled_;
  };

  class ref_type {
   public:
    explicit ref_type(const l2_lines_ref& lines) : lines_(lines) {}
    __device__ event at(unsigned number) const { return event(lines_, number); }

   private:
    l2_lines_ref lines_;
  };

  /// \throws std::bad_alloc if device memory is used up.
  explicit event_counts(unsigned events, const placement& on = {}) : lines_(events, on, "event") {}

  /// Zeroes the counts, in stream order.
  void reset() { lines_.reset(); }
  ref_type ref() const { return ref_type(lines_.ref()); }
  /// Where the lines lie.
  const l2_map& map() const { return lines_.map(); }

 private:
  l2_lines lines_;
};

}  // namespace finesync::inline FINESYNC_ABI
