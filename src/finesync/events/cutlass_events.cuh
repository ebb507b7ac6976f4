// SPDX-License-Identifier: Apache-2.0
// Events as CUTLASS's flags make them, see one_thread_events.cuh.
//
// Source: NVIDIA's CUTLASS, include/cutlass/barrier.h (revision 7107b05, 2026): arrive_inc() and
//   wait_lt() of its GenericBarrier. The fence before the addition is joined, and each poll
//   acquires. Different: the wait is bounded, and the counter may wrap around.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/events/one_thread_events.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

struct cutlass_event_steps {
  using number = std::uint32_t;
  using count = atomic_ref<number, scope::device>;

  __device__ static void add_one(cell<number>& word) {
    fence<memory_order::acq_rel, scope::device>();
    count(word).fetch_add(1, memory_order::relaxed);
  }
  __device__ static number look(cell<number>& word) {
    return count(word).load(memory_order::acquire);
  }
};

using cutlass_events = one_thread_events<cutlass_event_steps>;

}  // namespace finesync::inline FINESYNC_ABI
