// The lines of a queue's tail and head, chosen by their place in the L2. Host side.
//
// A part of the L2 takes some 1.2 billion additions per second, for one word or for several, and an
// undocumented hash of the address says which part. On an H100 a queue whose tail and head are in
// one part, as neighbouring lines often are, carries 17 to 20 billion items per second, a ticket
// per warp; on other pairs of lines 24 to 25. Timing tells. A bad choice costs time alone.
#pragma once

#include "finesync/host/buffer.cuh"
#include "finesync/host/stream.cuh"
#include "finesync/queues/ring_queue.cuh"

#ifndef FINESYNC_HOST_EXECUTOR
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/clock.cuh"
#include "finesync/device/warp.cuh"
#include "finesync/host/gpu.cuh"
#include "finesync/host/launch.cuh"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// Pairs of lines to choose from.
struct line_pairs {
  static constexpr unsigned count = 16;
  static constexpr unsigned lines = 160;

  static constexpr unsigned tail(unsigned pair) { return 3 * pair; }
  static constexpr unsigned head(unsigned pair) { return 64 + 5 * pair; }
  static constexpr unsigned spare = lines - 1;  ///< in no pair
  static constexpr std::size_t words_per_line = line_bytes / sizeof(std::uint32_t);
};

#ifdef FINESYNC_HOST_EXECUTOR

inline unsigned quickest_pair(cell<std::uint32_t>*, const stream&) {
  return 0;
}

#else

namespace detail {

/// Adds to `cycles` how long each warp draws from the two words in turn.
template <class = void>
__global__ void time_draws(cell<std::uint32_t>* tail_word, cell<std::uint32_t>* head_word,
                           cell<std::uint64_t>* cycles) {
  using word = atomic_ref<std::uint32_t, scope::device>;
  constexpr unsigned rounds = 100;
  if (lane_id() != 0) return;
  const word tail(*tail_word);
  const word head(*head_word);
  const std::uint64_t began = clock_cycles();
  std::uint32_t zero = 0;  // an addition depends on the one before
  for (unsigned round = 0; round < rounds; ++round) {
    zero = tail.fetch_add(1 + zero, memory_order::relaxed) >> 31;
    zero = head.fetch_add(1 + zero, memory_order::relaxed) >> 31;
  }
  atomic_ref<std::uint64_t, scope::device>(*cycles).fetch_add(clock_cycles() + zero - began,
                                                              memory_order::relaxed);
}

}  // namespace detail

/// The pair on which warps of all SMs draw soonest, two warps of each: about as many draws as a
/// busy queue makes. Takes some milliseconds; the words are not zero afterwards.
inline unsigned quickest_pair(cell<std::uint32_t>* words, const stream& on) {
  constexpr unsigned attempts = 3;
  const device_guard here(on.device());
  const auto sms = static_cast<unsigned>(current_gpu().sms);
  const auto cycles = buffer<std::uint64_t>::zeroed(line_pairs::count, on);
  for (unsigned attempt = 0; attempt < attempts; ++attempt)
    for (unsigned pair = 0; pair < line_pairs::count; ++pair)
      launch_independent(on, detail::time_draws<>, {.blocks = sms, .threads_per_block = 64},
                         words + line_pairs::tail(pair) * line_pairs::words_per_line,
                         words + line_pairs::head(pair) * line_pairs::words_per_line,
                         cycles.device_data() + pair);
  const std::vector<std::uint64_t> took = cycles.to_host();
  return static_cast<unsigned>(std::min_element(took.begin(), took.end()) - took.begin());
}

#endif

/// Owns the words of a queue's ends.
template <class Ticket>
class queue_lines {
 public:
  /// \throws std::bad_alloc if device memory is used up.
  explicit queue_lines(const stream& on = {})
      : words_(buffer<std::uint32_t>::zeroed(line_pairs::lines * line_pairs::words_per_line, on)),
        pair_(quickest_pair(words_.device_data(), on)) {
    reset();
  }

  void reset() { words_.fill_bytes(0); }
  queue_ends<Ticket> ends() const {
    return {at<cell<Ticket>>(line_pairs::tail(pair_)), at<cell<Ticket>>(line_pairs::head(pair_)),
            at<queue_closing>(line_pairs::spare)};
  }

 private:
  template <class Words>
  Words* at(unsigned line) const {
    return reinterpret_cast<Words*>(words_.device_data() + line * line_pairs::words_per_line);
  }

  buffer<std::uint32_t> words_;
  unsigned pair_;
};

}  // namespace finesync::inline FINESYNC_ABI
