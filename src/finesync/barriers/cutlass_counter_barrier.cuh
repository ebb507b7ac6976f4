// SPDX-License-Identifier: Apache-2.0
// The grid barrier that follows from the flags of CUTLASS: every block adds to one counter, and
// polls it until all have come.
//
//|     every block ──adds 1──> one counter <──polls── every block
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid.
// Scope: device.
// Ordering: block barrier; thread 0's addition releases, and each of its polls acquires; block
//   barrier. The additions are one release sequence.
// Progress: blocking; every block must be resident, which a cooperative launch guarantees.
// Traffic per block: one addition; all blocks poll the one counter without a pause.
// Fairness: every block passes once per round.
// Reset: see grid_barrier.cuh.
// Source: NVIDIA's CUTLASS, include/cutlass/barrier.h (revision 7107b05, 2026): arrive_inc() and
//   wait_lt() of its GenericBarrier on one flag of all blocks. Different: the wait is bounded, and
//   the counter may wrap around (epoch_counter.cuh).
#pragma once

#include "finesync/barriers/epoch_counter.cuh"
#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/barriers/overlap.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/await.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/wrap_around.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/launch.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Used by thread 0 of each block.
template <memory_order Arrive, memory_order Poll>
class cutlass_counter_block {
  using counter = atomic_ref<std::uint32_t, scope::device>;

 public:
  struct state {
    alignas(line_bytes) cell<std::uint32_t> arrived;
  };

  // The epoch cannot end before this block has arrived.
  __device__ cutlass_counter_block(state& s, const watchdog_ref& watchdog)
      : arrived_(s.arrived),
        arrivals_(grid_blocks()),
        target_(arrivals_.target(arrived_.load(memory_order::relaxed))),
        watchdog_(watchdog) {}

  static constexpr unsigned callers = 1;  ///< threads of a block that call the functions below

  __device__ bool sync_for_block() {
    arrive_for_block();
    return wait_for_block();
  }

  __device__ void arrive_for_block() {
    arrived_.fetch_add(arrivals_.increment(block_rank() == 0), Arrive);
  }

  __device__ bool wait_for_block() {
    const auto all_have_come = [this] { return has_reached(arrived_.load(Poll), target_); };
    if (!await(watchdog_, awaited::blocks, all_have_come)) return false;
    target_ += arrivals_.epoch();
    return true;
  }

 private:
  counter arrived_;
  epoch_counter arrivals_;
  std::uint32_t target_;
  watchdog_ref watchdog_;
};

/// \tparam Arrive, Poll orders of the two accesses, so that tests can weaken one.
template <memory_order Arrive = memory_order::release, memory_order Poll = memory_order::acquire>
class cutlass_counter_barrier {
  using state = typename cutlass_counter_block<Arrive, Poll>::state;

 public:
  class ref_type {
   public:
    using participant = with_overlap<cutlass_counter_block<Arrive, Poll>>;

    explicit ref_type(state* s) : state_(s) {}
    __device__ participant join(const watchdog_ref& watchdog) const {
      return participant(*state_, watchdog);
    }

   private:
    state* state_;
  };

  explicit cutlass_counter_barrier(const launch_shape& shape, const stream& on = {})
      : state_((checked(shape), 1), on) {}

  void reset() { state_.reset(); }
  ref_type ref() const { return ref_type(state_.device_data()); }

 private:
  zeroed_states<state> state_;
};

static_assert(grid_barrier<cutlass_counter_barrier<>::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
