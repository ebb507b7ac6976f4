// SPDX-License-Identifier: Apache-2.0
// Events as the Mirage Persistent Kernel's workers trigger and await them, see
// one_thread_events.cuh.
//
// Source: mirage-project/mirage, include/mirage/persistent_kernel/persistent_kernel.cuh and
//   mpk_atoms.cuh: 64-bit counters, atom.add.release.gpu whose result is used, ld.acquire.sys, and
//   a sleep of 10 ns after each poll, also after the last. Different: the wait is bounded.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/ptx/do_not_optimize.cuh"
#include "finesync/device/ptx/sleep.cuh"
#include "finesync/events/one_thread_events.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

struct mpk_event_steps {
  using number = std::uint64_t;

  __device__ static void add_one(cell<number>& word) {
    const number before =
        atomic_ref<number, scope::device>(word).fetch_add(1, memory_order::release);
    do_not_optimize(static_cast<std::uint32_t>(before));
  }
  __device__ static number look(cell<number>& word) {
    const number seen = atomic_ref<number, scope::system>(word).load(memory_order::acquire);
    sleep_ns(10);
    return seen;
  }
};

using mpk_events = one_thread_events<mpk_event_steps>;

}  // namespace finesync::inline FINESYNC_ABI
