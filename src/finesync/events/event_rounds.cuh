// SPDX-License-Identifier: Apache-2.0
// Events of counts and events of flags by one interface: rounds, in which each of a fixed number of
// producers arrives once.
//
// Use: auto event = ref.at(number); event.arrive(producer, round); event.wait(round, watchdog)
// Rounds count from 1. All else is as `Events` has it: event_counts.cuh, one_thread_events.cuh,
// flag_events.cuh.
#pragma once

#include "finesync/device/watchdog.cuh"
#include "finesync/host/buffer.cuh"

#include <cstdint>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

template <class Events>
class event_rounds {
  /// Whether a producer says which one it is.
  static constexpr bool has_flags = std::is_constructible_v<Events, unsigned, unsigned, stream>;

 public:
  static constexpr bool waits_for_block = Events::waits_for_block;

  class event {
   public:
    __device__ event(const typename Events::event& one, unsigned producers)
        : event_(one), producers_(producers) {}

    __device__ void arrive(unsigned producer, std::uint32_t round) const {
      if constexpr (has_flags)
        event_.arrive(producer, round);
      else
        event_.arrive();
    }
    __device__ bool wait(std::uint32_t round, const watchdog_ref& watchdog) const {
      return event_.wait(has_flags ? round : round * producers_, watchdog);
    }

   private:
    typename Events::event event_;
    unsigned producers_;
  };

  class ref_type {
   public:
    ref_type(const typename Events::ref_type& events, unsigned producers)
        : events_(events), producers_(producers) {}
    __device__ event at(unsigned number) const { return event(events_.at(number), producers_); }

   private:
    typename Events::ref_type events_;
    unsigned producers_;
  };

  /// \throws std::bad_alloc if device memory is used up.
  event_rounds(unsigned events, unsigned producers, const placement& on = {})
      : producers_(producers), events_(made(events, producers, on)) {}

  void reset() { events_.reset(); }
  ref_type ref() const { return ref_type(events_.ref(), producers_); }

 private:
  static Events made(unsigned events, [[maybe_unused]] unsigned producers, const placement& on) {
    if constexpr (has_flags)
      return Events(events, producers, on);
    else
      return Events(events, on);
  }

  unsigned producers_;
  Events events_;
};

}  // namespace finesync::inline FINESYNC_ABI
