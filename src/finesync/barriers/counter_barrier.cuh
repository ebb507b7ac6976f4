// SPDX-License-Identifier: Apache-2.0
// Grid barriers made of counters on well-chosen lines of the L2. A plan selects how blocks learn of
// the last arrival:
//
//|  flat_counters     every block adds 1 to all copies of one counter, then polls a near copy of
//|                    every counter: one round trip to the L2, as there is no release phase
//|
//|     block ──add──> copies of counter b % lines <──poll── every block: one copy of each counter
//|
//|  sm_counters       the blocks of an SM add to the SM's counter, and the last of them adds to the
//|                    copies: two round trips, but one arrival per SM
//|  gather_broadcast  all blocks add to counters on the side of one root block. Only the root polls
//|                    them; it then adds to release lines, which the others poll: two round trips,
//|                    but no polls of lines that still receive thousands of arrivals
//
// Each side of the L2 has copies (l2_lines.cuh): a block adds on both sides and polls on its own.
// Arrivals spread over lines do not queue up; nor do polls spread over replicas. A late first poll
// (plan.first_poll) does not delay arrivals.
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid.
// Scope: device.
// Ordering: block barrier; release fence by each lane that adds; relaxed additions and polls;
//   acquire fence by each lane that polled; block barrier. A counter's additions are one release
//   sequence, so the last poll synchronizes with every arrival. If a block passes on what it
//   acquired (the last of an SM, the root), its lanes acquire, synchronize, and release.
// Progress: blocking; every block must be resident, which a cooperative launch guarantees.
// Traffic per block: flat_counters: sides x replicas additions, and one load per counter and poll;
//   sm_counters: one addition, those per SM, one load per poll; gather_broadcast: one addition,
//   those in the root, one load per poll.
// Reset: see grid_barrier.cuh.
// Source: ours; sm_counters has the tree of the thesis, section 3.1.
#pragma once

#include "finesync/barriers/counter_participant.cuh"
#include "finesync/barriers/counter_plan.cuh"
#include "finesync/barriers/sm_roster.cuh"
#include "finesync/device/clock.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/gpu.cuh"
#include "finesync/host/l2_lines.cuh"
#include "finesync/host/launch.cuh"
#include "finesync/host/line_search.cuh"
#include "finesync/host/watchdog.cuh"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// \tparam Fences counter_fences, or no_fences to order execution only.
/// \tparam Reduction see reduction.cuh.
template <class Fences, class Reduction = no_reduction>
class basic_counter_barrier {
 public:
  using ref_type = typename counter_participant<Fences, Reduction>::ref_type;
  using fences = Fences;
  using reduction = Reduction;

  /// On a GPU this takes about 0.15 s, as it searches for good lines by timing.
  /// \throws launch_error if a grid of this shape cannot be co-resident.
  /// \throws std::invalid_argument for a reduction with sm_counters, where only the last block of
  /// an SM learns the SM's contributions, and for no_fences without flat_counters.
  basic_counter_barrier(const launch_shape& shape, const counter_plan& plan, const stream& on = {})
      : basic_counter_barrier(shape, plan, /*vary_first_poll=*/false, on) {}

  void reset() {
    lines_.reset();
    roster_.reset();
  }
  ref_type ref() const { return {plan_, lines_.ref(), roster_.ref()}; }

  /// The plan in effect, limited to the block's size.
  const counter_plan& plan() const { return plan_; }
  const l2_map& map() const { return lines_.map(); }

 protected:
  /// \param vary_first_poll whether to search for the time of the first poll, too.
  basic_counter_barrier(const launch_shape& shape, const counter_plan& plan, bool vary_first_poll,
                        const stream& on)
      : plan_(plan.cut_to(checked(shape).threads_per_block)),
        stream_(on),
        lines_(lines_per_side(plan_), on),
        roster_(shape.blocks, on) {
    if (Reduction::is_reduction && plan.how == counter_topology::sm_counters)
      throw std::invalid_argument("a barrier with SM counters supports no reduction");
    if (std::is_same_v<Fences, no_fences> && plan.how != counter_topology::flat_counters)
      throw std::invalid_argument("a barrier in two trips needs its fences");
    const device_guard here(on.device());
    if (current_gpu().simulated) return;  // its cycles mean nothing
    buffer<std::uint64_t> cycles(1, on);
    watchdog timeout(on);
    use(fastest_lines(lines_, plan_.first_poll, vary_first_poll,
                      [&](const line_choice<>& choice, unsigned barriers) {
                        use(choice);
                        return try_out(shape, barriers, cycles, timeout);
                      }));
  }

  /// \returns the time of `barriers` barriers of such a grid in SM cycles. If the watchdog ended
  /// them, the maximum value, and both are reset. \param cycles one word, overwritten.
  std::uint64_t try_out(const launch_shape& shape, unsigned barriers, buffer<std::uint64_t>& cycles,
                        watchdog& timeout);

 private:
  void use(const line_choice<>& choice) {
    lines_.use(choice.lines);
    plan_.first_poll = choice.first_poll;
    reset();
  }

  static unsigned lines_per_side(const counter_plan& plan) {
    switch (plan.how) {
      case counter_topology::sm_counters:
        return plan.replicas + sm_roster::max_sms;
      case counter_topology::gather_broadcast:
        return plan.counters + plan.replicas + 1;
      default:
        return plan.counters * plan.replicas;
    }
  }

  counter_plan plan_;
  stream stream_;
  l2_lines lines_;
  sm_roster roster_;
};

namespace detail {

/// Runs barriers back to back; block 0 writes the cycles of all but the first.
template <class BarrierRef>
__global__ void __maxnreg__(reduction_bytes<BarrierRef> == 0 ? 32 : 64)
    time_barriers(BarrierRef barrier, unsigned barriers, cell<std::uint64_t>* cycles,
                  watchdog_ref watchdog) {
  assume_one_dimension();
  auto participant = join_alone(barrier, watchdog);
  if (!participant.wait()) return;
  const std::uint64_t began = clock_cycles();
  for (unsigned i = 0; i < barriers; ++i)
    if (!participant.wait()) return;
  if (block_rank() == 0 && is_first_of_block()) *cycles = clock_cycles() - began;
}

}  // namespace detail

template <class Fences, class Reduction>
std::uint64_t basic_counter_barrier<Fences, Reduction>::try_out(const launch_shape& shape,
                                                                unsigned barriers,
                                                                buffer<std::uint64_t>& cycles,
                                                                watchdog& timeout) {
  launch_cooperative(stream_, detail::time_barriers<ref_type>,
                     {.blocks = shape.blocks,
                      .threads_per_block = shape.threads_per_block,
                      .shared_bytes = reduction_bytes<ref_type>},
                     ref(), barriers, cycles.device_data(), timeout.ref());
  if (!timeout.fired()) return cycles.to_host()[0];
  timeout.reset();
  reset();  // block 0 may have passed all the same
  return ~std::uint64_t{0};
}

using counter_barrier = basic_counter_barrier<counter_fences>;

}  // namespace finesync::inline FINESYNC_ABI
