// The two ends of each queue: a place, and an item of each lane by it. A caller that uses only a
// part of an item must not make its words narrower.
#include "kernels.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/queues/segment_queue.cuh>
#include <finesync/queues/slot_queue.cuh>
#include <finesync/queues/vyukov_queue.cuh>

namespace {

template <unsigned Words>
struct alignas(4 * Words) words {
  u32 word[Words];
};

template <class Queue, class Asker>
__device__ __forceinline__ void push(Queue queue, Asker asker, const u32* in,
                                     const watchdog_ref& watchdog) {
  auto place = queue.reserve_push(asker);
  typename Queue::item_type items[1] = {};
  items[0].word[0] = in[threadIdx.x];
  queue.put(place, items, watchdog);
}

template <class Queue, class Asker>
__device__ __forceinline__ void pop(Queue queue, Asker asker, u32* out,
                                    const watchdog_ref& watchdog) {
  auto place = queue.reserve_pop(asker);
  const auto got = queue.take(place, watchdog);
  if (got.has(0)) out[threadIdx.x] = got.item[0].word[0];
}

}  // namespace

#define QUEUE(name, ...)                                                                      \
  extern "C" __global__ void name##_push(typename __VA_ARGS__::ref_type queue, const u32* in, \
                                         watchdog_ref watchdog) {                             \
    assume_one_dimension();                                                                   \
    push(queue.join(shared_bytes() + sizeof(block_tickets)), by_warp::all(), in, watchdog);   \
  }                                                                                           \
  extern "C" __global__ void name##_pop(typename __VA_ARGS__::ref_type queue, u32* out,       \
                                        watchdog_ref watchdog) {                              \
    assume_one_dimension();                                                                   \
    pop(queue.join(shared_bytes() + sizeof(block_tickets)), by_warp::all(), out, watchdog);   \
  }

QUEUE(slot_4_bytes, slot_queue<words<1>>)
QUEUE(slot_8_bytes, slot_queue<words<2>>)
QUEUE(slot_16_bytes, slot_queue<words<4>>)
QUEUE(slot_ordered, ordered_slot_queue<words<2>>)
QUEUE(segment_8_bytes, segment_queue<words<2>>)
QUEUE(vyukov_4_bytes, vyukov_queue<words<1>>)

extern "C" __global__ void slot_push_of_block(slot_queue<words<2>>::ref_type queue, const u32* in,
                                              watchdog_ref watchdog) {
  assume_one_dimension();
  push(queue, by_block(shared_storage<block_tickets>()), in, watchdog);
}
