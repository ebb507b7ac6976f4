// SPDX-License-Identifier: Apache-2.0
// Events of a flag per producer, in which it stores the round: what needs neither counters nor
// atomics. A baseline of event_counts.cuh.
//
// Use: auto event = ref.at(number); event.arrive(producer, round); event.wait(round, watchdog)
// Participants: whole blocks; `producer` is 0 to producers - 1, each in one block.
// Scope: device.
// Ordering: block barrier, st.release by thread 0; polls that acquire, by the threads that have a
//   flag each, block barrier.
// Progress, residency: as event_counts.cuh.
// Traffic: one store per arrival, on a line of its own. A consumer polls as many lines as there are
//   producers, so stores of many and polls of many meet.
// Reset: none between rounds or launches whose rounds go on.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/polling.cuh"
#include "finesync/device/watchdog.cuh"
#include "finesync/device/wrap_around.cuh"
#include "finesync/host/buffer.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// \tparam Arrive, Poll orders of the two accesses, so that tests can weaken one.
template <memory_order Arrive = memory_order::release, memory_order Poll = memory_order::acquire>
class flag_events {
  using flag = atomic_ref<std::uint32_t, scope::device>;
  struct alignas(line_bytes) state {
    cell<std::uint32_t> round;
  };

 public:
  static constexpr bool waits_for_block = true;

  class event {
   public:
    __device__ event(state* flags, unsigned producers) : flags_(flags), producers_(producers) {}

    __device__ void arrive(unsigned producer, std::uint32_t round) const {
      __syncthreads();
      if (is_first_of_block()) flag(flags_[producer].round).store(round, Arrive);
    }
    __device__ bool wait(std::uint32_t round, const watchdog_ref& watchdog) const {
      bool in_time = true;
      for (unsigned i = thread_rank(); i < producers_ && in_time; i += block_threads())
        in_time = await(flags_[i], round, watchdog);
      return __syncthreads_or(!in_time) == 0;
    }

   private:
    __device__ static bool await(state& of, std::uint32_t round, const watchdog_ref& watchdog) {
      const flag polled(of.round);
      bounded_wait wait(watchdog, awaited::event);
      std::uint32_t seen = 0;
      while (!poll_briefly([&] { return has_reached(seen = polled.load(Poll), round); }))
        if (wait.timed_out([&] { return wait_evidence{seen, round, polled.where()}; }))
          return false;
      return true;
    }

    state* flags_;
    unsigned producers_;
  };

  class ref_type {
   public:
    ref_type(state* flags, unsigned producers) : flags_(flags), producers_(producers) {}
    __device__ event at(unsigned number) const {
      return event(flags_ + std::size_t{number} * producers_, producers_);
    }

   private:
    state* flags_;
    unsigned producers_;
  };

  /// \throws std::bad_alloc if device memory is used up.
  flag_events(unsigned events, unsigned producers, const placement& on = {})
      : producers_(producers),
        flags_(std::size_t{events} * producers, on,
               {.object = "event", .object_bytes = producers * sizeof(state), .value = "round"}) {}

  void reset() { flags_.reset(); }
  ref_type ref() const { return ref_type(flags_.device_data(), producers_); }

 private:
  unsigned producers_;
  zeroed_states<state> flags_;
};

}  // namespace finesync::inline FINESYNC_ABI
