// SPDX-License-Identifier: Apache-2.0
// Pairs of lines for two words to which many threads add, chosen by their place in the L2.
//
// A part of the L2 takes some 1.2 billion additions per second, for one word or for several, and an
// undocumented hash of the address says which part. So two words in one part are at half of the
// rate, as neighbouring lines often are. Timing tells. A bad choice costs time, never correctness.
#pragma once

#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/clock.cuh"
#include "finesync/device/memory_model.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/gpu.cuh"
#include "finesync/host/launch.cuh"
#include "finesync/host/stream.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Pairs of lines to choose from.
struct line_pairs {
  static constexpr unsigned count = 16;
  static constexpr unsigned lines = 160;

  static constexpr unsigned first(unsigned pair) { return 3 * pair; }
  static constexpr unsigned second(unsigned pair) { return 64 + 5 * pair; }
  static constexpr unsigned spare = lines - 1;  ///< in no pair
  static constexpr std::size_t words_per_line = line_bytes / sizeof(std::uint32_t);
};

#ifdef FINESYNC_HOST_EXECUTOR

inline unsigned quickest_pair(cell<std::uint32_t>*, const stream&) {
  return 0;
}

#else

namespace detail {

/// Adds to `cycles` how long each warp adds to the two words in turn.
template <class = void>
__global__ void time_draws(cell<std::uint32_t>* first_word, cell<std::uint32_t>* second_word,
                           cell<std::uint64_t>* cycles) {
  assume_one_dimension();
  using word = atomic_ref<std::uint32_t, scope::device>;
  constexpr unsigned rounds = 100;
  if (lane_id() != 0) return;
  const word first(*first_word);
  const word second(*second_word);
  const std::uint64_t began = clock_cycles();
  std::uint32_t zero = 0;  // an addition depends on the one before
  for (unsigned round = 0; round < rounds; ++round) {
    zero = first.fetch_add(1 + zero, memory_order::relaxed) >> 31;
    zero = second.fetch_add(1 + zero, memory_order::relaxed) >> 31;
  }
  atomic_ref<std::uint64_t, scope::device>(*cycles).fetch_add(clock_cycles() + zero - began,
                                                              memory_order::relaxed);
}

}  // namespace detail

/// The pair to whose words two warps of each SM add soonest: about as many additions as those of a
/// busy queue. Takes some milliseconds; the words are not zero afterwards.
inline unsigned quickest_pair(cell<std::uint32_t>* words, const stream& on) {
  constexpr unsigned attempts = 3;
  const device_guard here(on.device());
  const auto sms = static_cast<unsigned>(current_gpu().sms);
  const auto cycles = buffer<std::uint64_t>::zeroed(line_pairs::count, on);
  for (unsigned attempt = 0; attempt < attempts; ++attempt)
    for (unsigned pair = 0; pair < line_pairs::count; ++pair)
      launch_independent(on, detail::time_draws<>, {.blocks = sms, .threads_per_block = 64},
                         words + line_pairs::first(pair) * line_pairs::words_per_line,
                         words + line_pairs::second(pair) * line_pairs::words_per_line,
                         cycles.device_data() + pair);
  const std::vector<std::uint64_t> took = cycles.to_host();
  return static_cast<unsigned>(std::min_element(took.begin(), took.end()) - took.begin());
}

#endif

}  // namespace finesync::inline FINESYNC_ABI
