// SPDX-License-Identifier: Apache-2.0
// What frameworks of persistent kernels have written by hand: a counter per event, to which one
// thread of a block adds, and which one thread of a block polls. The baselines of event_counts.cuh.
//
// Use, participants, scope, progress, residency: as event_counts.cuh with waiters of one warp.
// Ordering: block barrier, the addition of `Steps`, which releases; polls that acquire, block
//   barrier. The additions are one release sequence.
// Traffic: one addition per arrival; a thread per consumer polls. One line per event.
// Reset: none between rounds or launches.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/polling.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/device/wrap_around.cuh"
#include "finesync/host/buffer.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// \tparam Steps the type `number` of the counter, add_one(), and look(), which returns the count.
template <class Steps>
class one_thread_events {
  using number = typename Steps::number;
  struct alignas(line_bytes) counter {
    cell<number> count;
  };

 public:
  static constexpr bool waits_for_block = true;

  class event {
   public:
    __device__ explicit event(cell<number>& count) : count_(&count) {}

    __device__ void arrive() const {
      __syncthreads();
      if (is_first_of_block()) Steps::add_one(*count_);
    }
    __device__ bool wait(std::uint32_t target, const watchdog_ref& watchdog) const {
      bool in_time = true;
      if (is_first_of_block()) in_time = await(target, watchdog);
      return __syncthreads_or(!in_time) == 0;
    }

   private:
    __device__ bool await(number target, const watchdog_ref& watchdog) const {
      bounded_wait wait(watchdog, awaited::event);
      number seen = 0;
      while (!poll_briefly([&] { return has_reached(seen = Steps::look(*count_), target); }))
        if (wait.timed_out([&] { return wait_evidence{seen, target, count_}; })) return false;
      return true;
    }

    cell<number>* count_;
  };

  class ref_type {
   public:
    explicit ref_type(counter* counters) : counters_(counters) {}
    __device__ event at(unsigned which) const { return event(counters_[which].count); }

   private:
    counter* counters_;
  };

  /// \throws std::bad_alloc if device memory is used up.
  explicit one_thread_events(unsigned events, const placement& on = {})
      : counters_(events, on,
                  {.object = "event", .object_bytes = sizeof(counter), .value = "count"}) {}

  void reset() { counters_.reset(); }
  ref_type ref() const { return ref_type(counters_.device_data()); }

 private:
  zeroed_states<counter> counters_;
};

}  // namespace finesync::inline FINESYNC_ABI
