// The contents of an output: words that all follow from its value, so that a reader's sum of them
// tells the value, and any wrong word shows.
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
  /// What a reader finds in an output of some value v is weight() * v + excess(). The weight is
  /// odd.
  static std::uint32_t weight(unsigned accesses) { return 2 * Words * accesses - 1; }
  static std::uint32_t excess(unsigned accesses) {
    std::uint32_t sum = 0;  // the first word of value 0 is 0: that it counts once does not matter
    for (unsigned index = 0; index < accesses; ++index)
      for (unsigned k = 0; k < Words; ++k) sum += 2 * word(0, index, k);
    return sum;
  }

  /// Word `k` of an access.
  __host__ __device__ static std::uint32_t word(std::uint32_t value, unsigned index, unsigned k) {
    return value + (index * Words + k) * 2654435761u;
  }
  /// What an access adds to a reader's sum; get(k) returns its words. A reader has just waited for
  /// them: few instructions.
  template <class Get>
  __device__ static std::uint32_t found_in(unsigned index, Get get) {
    std::uint32_t sum = 0;
    for (unsigned k = 0; k < Words; ++k) sum += get(k);
    return 2 * sum - (index == 0 ? get(0) : 0);
  }
};

}  // namespace finesync::taskgraph
