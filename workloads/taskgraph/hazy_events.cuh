// Events as the workers of HazyResearch's Megakernels have them, see one_thread_events.cuh: nothing
// orders the outputs, neither where a task arrives nor where another waits. A contender that only
// seems to be right: the verification must reject it wherever a stale output is read.
//
// Source: HazyResearch's Megakernels (revision 7309cec). They have a relaxed addition, and the
//   fence.acq_rel.gpu before it is commented out. They poll by volatile loads and sleep between
//   polls. Different: the wait is bounded, and outputs are plain stores. Many of theirs are bulk
//   stores; they wait until these are done, then add.
#pragma once

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/events/one_thread_events.cuh>

#include <cstdint>

namespace finesync::taskgraph {

struct hazy_event_steps {
  using number = std::uint32_t;
  using count = atomic_ref<number, scope::device>;

  __device__ static void add_one(cell<number>& word) {
    count(word).fetch_add(1, memory_order::relaxed);
  }
  __device__ static number look(cell<number>& word) {
    const number seen = count(word).load(memory_order::relaxed);
    sleep_ns(20);
    return seen;
  }
};

using hazy_events = one_thread_events<hazy_event_steps>;

}  // namespace finesync::taskgraph
