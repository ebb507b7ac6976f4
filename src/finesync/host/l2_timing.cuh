// SPDX-License-Identifier: Apache-2.0
// Maps the L2 on a GPU by timing fences or loads. The kernels are templates because several files
// of a program may include them.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/shared_storage.cuh"
#include "finesync/host/gpu.cuh"
#include "finesync/host/l2_map.cuh"
#include "finesync/host/l2_split.cuh"
#include "finesync/host/launch.cuh"
#include "finesync/host/stream.cuh"
#include "finesync/host/watchdog.cuh"

#ifndef FINESYNC_HOST_EXECUTOR

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

/// Cycles of a few dependent loads of the line.
struct timed_loads {
  __device__ static std::uint64_t cycles(std::uint32_t* line) {
    constexpr unsigned loads = 4;
    const std::uint64_t began = clock_cycles();
    std::uint32_t zero = 0;  // the line's value; the next address depends on it
    for (unsigned i = 0; i < loads; ++i)
      zero = atomic_ref<std::uint32_t, scope::device>(line[zero]).load(memory_order::relaxed);
    return clock_cycles() + zero - began;
  }
};

/// Cycles of a release fence when the SM has accessed only this line since its last one. The time
/// includes a shared-memory access after the fence, because reading the clock would not wait for
/// the fence.
struct timed_fence {
  __device__ static std::uint64_t cycles(std::uint32_t* line) {
    const atomic_ref<std::uint32_t, scope::block> behind(shared_storage<std::uint32_t>());
    fence<memory_order::release, scope::device>();
    behind.store(1, memory_order::relaxed);
    if (atomic_ref<std::uint32_t, scope::device>(*line).load(memory_order::relaxed) != 0) return 0;
    const std::uint64_t began = clock_cycles();
    fence<memory_order::release, scope::device>();
    if (behind.exchange(0, memory_order::relaxed) == 0) return 0;
    return clock_cycles() - began;
  }
};

/// cycles[sm * lines + line]: the minimum of a few attempts, by one thread of each SM with an index
/// in [first_sm, first_sm + sms). Indices may have gaps, so there may be fewer such SMs.
template <class Timed>
__global__ void time_lines(cell<std::uint32_t>* words, unsigned lines, unsigned first_sm,
                           unsigned sms, std::uint32_t* cycles) {
  assume_one_dimension();
  const unsigned sm = sm_id();
  if (!is_first_of_block() || sm - first_sm >= sms) return;
  constexpr unsigned words_per_line = line_bytes / sizeof(std::uint32_t);
  constexpr unsigned attempts = 2;
  for (unsigned line = 0; line < lines; ++line) {
    std::uint64_t least = ~0u;
    for (unsigned attempt = 0; attempt < attempts; ++attempt)
      least = min(least, Timed::cycles(words + line * words_per_line));
    cycles[sm * lines + line] = static_cast<std::uint32_t>(least);
  }
}

/// cycles[line]: the time of barriers on the line among one block per SM, which add to it and poll
/// it. The latencies of single loads do not show this.
template <class = void>
__global__ void time_line_meetings(cell<std::uint32_t>* words, unsigned lines,
                                   std::uint32_t* cycles, watchdog_ref watchdog) {
  assume_one_dimension();
  constexpr unsigned words_per_line = line_bytes / sizeof(std::uint32_t);
  constexpr unsigned meetings = 12;
  if (!is_first_of_block()) return;
  bounded_wait wait(watchdog, awaited::blocks);
  for (unsigned line = 0; line < lines; ++line) {
    const atomic_ref<std::uint32_t, scope::device> met(words[line * words_per_line]);
    const std::uint64_t began = clock_cycles();
    for (unsigned meeting = 1; meeting <= meetings; ++meeting) {
      met.fetch_add(1, memory_order::relaxed);
      while (met.load(memory_order::relaxed) < meeting * grid_blocks())
        if (wait.timed_out()) return;
    }
    wait.restart();
    if (block_rank() == 0) cycles[line] = static_cast<std::uint32_t>(clock_cycles() - began);
  }
}

/// cycles[sm * lines + line].
template <class Timed>
std::vector<std::uint32_t> time_all(cell<std::uint32_t>* words, unsigned sms, unsigned lines,
                                    const stream& on) {
  constexpr unsigned at_a_time = 12;  // more SMs would disturb each other's times
  buffer<std::uint32_t> cycles(std::size_t{sms} * lines, on);
  cycles.fill_bytes(0);
  for (unsigned sm = 0; sm < sms; sm += at_a_time)
    launch_independent(on, time_lines<Timed>,
                       {.blocks = sms, .shared_bytes = sizeof(std::uint32_t)}, words, lines, sm,
                       std::min(at_a_time, sms - sm), cycles.raw_pointer());
  return cycles.to_host();
}

}  // namespace detail

inline l2_map map_l2_lines(cell<std::uint32_t>* first, unsigned lines, l2_distance by,
                           const stream& on) {
  const device_guard here(on.device());
  const unsigned sms = static_cast<unsigned>(current_gpu().sms);
  const std::vector<std::uint32_t> cycles =
      by == l2_distance::fence ? detail::time_all<detail::timed_fence>(first, sms, lines, on)
                               : detail::time_all<detail::timed_loads>(first, sms, lines, on);

  const buffer<std::uint32_t> meetings(lines, on);
  watchdog timeout(on);
  launch_cooperative(on, detail::time_line_meetings<>, {sms, 32}, first, lines,
                     meetings.raw_pointer(), timeout.ref());
  return map_of(by, l2_split(cycles, sms, lines), meetings.to_host());
}

}  // namespace finesync::inline FINESYNC_ABI

#endif
