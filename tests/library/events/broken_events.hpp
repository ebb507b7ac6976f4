// Broken variants of events that tests of several programs reject.
#pragma once

#include <finesync/device/watchdog.cuh>
#include <finesync/events/event_words.cuh>

#include <cstdint>

namespace finesync::test {

/// `Events` with another event: `Event<Right>` derives from the right one, and is made from it.
template <class Events, template <class> class Event>
struct with_event : Events {
  using Events::Events;
  using event = Event<typename Events::event>;
  struct ref_type : Events::ref_type {
    explicit ref_type(const typename Events::ref_type& right) : Events::ref_type(right) {}
    __device__ event at(unsigned number) const { return event(Events::ref_type::at(number)); }
  };
  ref_type ref() const { return ref_type(Events::ref()); }
};

template <class Right>
struct not_awaited : Right {
  explicit not_awaited(const Right& right) : Right(right) {}
  __device__ bool wait(std::uint32_t, const watchdog_ref&) const {
    __syncthreads();
    return true;
  }
};
/// Events whose wait returns at once.
template <class Events>
using no_wait = with_event<Events, not_awaited>;

/// Words that are taken whatever round they are of.
struct dead_tags : event_tags {
  __device__ static bool is_of(const message_128&, std::uint32_t) { return true; }
};

}  // namespace finesync::test
