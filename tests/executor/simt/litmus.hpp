// Litmus tests: small programs whose surprising outcomes distinguish memory models.
#pragma once

#include "harness.hpp"

namespace simt_test {

inline constexpr unsigned litmus_seeds = 200;

/// A program with a missing order: wrong for some seed of weak memory, for none of strong memory.
inline void expect_only_weak_memory_breaks(bool (*goes_wrong)()) {
  EXPECT_GT(wrong_seeds(litmus_seeds, simt::memory_kind::weak, goes_wrong), 0u);
  EXPECT_EQ(wrong_seeds(litmus_seeds, simt::memory_kind::strong, goes_wrong), 0u);
}

/// A program with all the order that it needs.
inline void expect_nothing_breaks(bool (*goes_wrong)()) {
  EXPECT_EQ(wrong_seeds(litmus_seeds, simt::memory_kind::weak, goes_wrong), 0u);
  EXPECT_EQ(wrong_seeds(litmus_seeds, simt::memory_kind::strong, goes_wrong), 0u);
}

/// Whether kernel(memory, wrong) writes to its second buffer, a word.
template <bool IsIndependent = false, class Kernel>
bool goes_wrong(Kernel kernel, const launch_shape& shape, std::size_t memory_words) {
  return words_after<IsIndependent>(kernel, shape, {memory_words, 1})[1][0] != 0;
}

inline constexpr launch_shape two_blocks = {.blocks = 2, .threads_per_block = 1};
inline constexpr launch_shape two_warps = {.blocks = 1, .threads_per_block = 64};
inline constexpr launch_shape one_warp = {.blocks = 1, .threads_per_block = 32};

/// The first thread of the grid and the first of its last warp take part; all others do nothing.
__device__ inline bool is_first() {
  return blockIdx.x == 0 && threadIdx.x == 0;
}
__device__ inline bool is_second() {
  return blockIdx.x == gridDim.x - 1 && threadIdx.x == (blockDim.x - 1) / 32 * 32 && !is_first();
}

}  // namespace simt_test
