// The contents of an output: words that all follow from its value, so that a reader's sum of them
// is a known multiple of it, and any wrong word shows.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstdint>

namespace finesync::taskgraph {

/// Outputs that are read and written in accesses of `Words` words.
template <unsigned Words>
struct output_words {
  static constexpr unsigned bytes = Words * sizeof(std::uint32_t);

  static unsigned accesses_for(unsigned payload_bytes) {
    return payload_bytes == 0 ? 1 : (payload_bytes + bytes - 1) / bytes;
  }
  /// The sum of what value_in() finds in an output, over its value: odd.
  static std::uint32_t weight(unsigned accesses) { return (2 * Words - 1) * (2 * accesses - 1); }

  /// Word `k` of an access.
  __device__ static std::uint32_t word(std::uint32_t value, unsigned index, unsigned k) {
    return value + (index * Words + k) * 2654435761u;
  }
  /// What an access adds to a reader's sum; get(k) returns its words.
  template <class Get>
  __device__ static std::uint32_t value_in(unsigned index, Get get) {
    std::uint32_t sum = 0;
    for (unsigned k = 0; k < Words; ++k) {
      const std::uint32_t value = get(k) - word(0, index, k);
      sum += k == 0 ? value : 2 * value;
    }
    return index == 0 ? sum : 2 * sum;
  }
};

}  // namespace finesync::taskgraph
