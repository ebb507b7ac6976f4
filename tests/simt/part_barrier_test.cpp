// A barrier of a block's first threads: it orders these, and them alone, and lets the others be.
#include "races.hpp"

#include <finesync/device/part_barrier.cuh>

namespace {

using namespace simt_test;
using simt::trouble;

constexpr unsigned first = 32;

/// The others wait for what the first threads do behind their barrier, and meet them at the end.
template <bool Meets>
void neighbours_among_the_first(cell32* words) {
  const block_ref done(words[3 * far]);
  if (threadIdx.x < first) {
    words[threadIdx.x] = threadIdx.x;
    for (unsigned round = 0; round < 3 && Meets; ++round) sync_first_threads(first);
    words[far + threadIdx.x] = words[(threadIdx.x + 1) % first] + 0u;
    if (threadIdx.x == 0) done.store(1, memory_order::release);
  } else {
    while (done.load(memory_order::acquire) == 0) {
    }
  }
  __syncthreads();
}

TEST(part_barrier, orders_the_first_threads_of_a_block) {
  EXPECT_EQ(race_of(neighbours_among_the_first<true>, 1, 64), "");
  expect_race(race_of(neighbours_among_the_first<false>, 1, 64), {"block"});
}

TEST(part_barrier, shows_what_they_wrote_in_weak_memory) {
  EXPECT_EQ(wrong_seeds(40, simt::memory_kind::weak,
                        [] {
                          const buffer<std::uint32_t> words = zeroed_words(4 * far);
                          launch_cooperative(run_body, {.blocks = 1, .threads_per_block = 64},
                                             neighbours_among_the_first<true>, words.cells());
                          const auto seen = words.to_host();
                          for (unsigned i = 0; i < first; ++i)
                            if (seen[far + i] != (i + 1) % first) return true;
                          return false;
                        }),
            0u);
}

__global__ void come_without_being_one_of_them() {
  if (threadIdx.x < first || threadIdx.x == 40) sync_first_threads(first);
  __syncthreads();
}

TEST(part_barrier, is_for_nobody_else) {
  expect_stuck(ending_of([] {
                 launch_cooperative(come_without_being_one_of_them, {.threads_per_block = 64});
               }),
               trouble::divergent_barrier, {"block 0, thread 40"});
}

}  // namespace
