// Arrivals at events and waits for them, and words that are events themselves. A block writes
// before it arrives, and reads after it has waited.
#include "kernels.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/events/cutlass_events.cuh>
#include <finesync/events/event_counts.cuh>
#include <finesync/events/event_words.cuh>
#include <finesync/events/flag_events.cuh>
#include <finesync/events/mpk_events.cuh>

namespace {

template <class Event>
__device__ void read_after(const Event& event, u32 target, const cell<u32>* data, u32* out,
                           const watchdog_ref& watchdog) {
  if (event.wait(target, watchdog)) out[threadIdx.x] = data[threadIdx.x ^ 1];
}

}  // namespace

#define EVENTS(name, type)                                                                         \
  extern "C" __global__ void name##_arrive(type::event event, cell<u32>* data, u32 word) {         \
    assume_one_dimension();                                                                        \
    data[threadIdx.x] = word;                                                                      \
    event.arrive();                                                                                \
  }                                                                                                \
  extern "C" __global__ void name##_wait(type::event event, u32 target, cell<u32>* data, u32* out, \
                                         watchdog_ref watchdog) {                                  \
    assume_one_dimension();                                                                        \
    read_after(event, target, data, out, watchdog);                                                \
  }

using event_counts_by_warp = event_counts<event_waiters::every_warp>;

EVENTS(event_counts, event_counts<>)
EVENTS(event_counts_by_warp, event_counts_by_warp)
EVENTS(cutlass_events, cutlass_events)
EVENTS(mpk_events, mpk_events)

extern "C" __global__ void flag_events_arrive(flag_events<>::event event, cell<u32>* data,
                                              u32 word) {
  assume_one_dimension();
  data[threadIdx.x] = word;
  event.arrive(blockIdx.x, word);
}
extern "C" __global__ void flag_events_wait(flag_events<>::event event, u32 round, cell<u32>* data,
                                            u32* out, watchdog_ref watchdog) {
  assume_one_dimension();
  read_after(event, round, data, out, watchdog);
}

extern "C" __global__ void event_words_put(event_words<>::ref_type words, u32 round, u32 data) {
  assume_one_dimension();
  words.share_of(blockIdx.x).put(round, [&](unsigned, unsigned) {
    return event_data{data, data + 1, data + 2};
  });
}

/// Uses a part of the words, which must not make them tear.
#define TAKE(most, used)                                                                       \
  extern "C" __global__ void event_words_take_##most##_##used(                                 \
      event_words<>::ref_type words, u32 events, u32 round, u32* out, watchdog_ref watchdog) { \
    assume_one_dimension();                                                                    \
    words.share_of<most>(0, events).take(                                                      \
        round, watchdog, [&](unsigned event, unsigned index, const event_data& data) {         \
          out[event + index] = data.used;                                                      \
        });                                                                                    \
  }
TAKE(1, first)
TAKE(1, third)
TAKE(2, second)
TAKE(0, first)
TAKE(0, third)
