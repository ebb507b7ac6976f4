// Sequentially consistent fences of the device order others if accesses and barriers lead from the
// one to the other.
#include "races.hpp"

namespace simt_test::fence_race_test {
namespace {

using enum memory_order;

/// The fences come in this order, but nothing says so.
void fence_after_the_flag(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 1;
    flag_of(words).store(1, relaxed);
    fence<seq_cst, scope::device>();
  } else {
    await<scope::device>(words[far], relaxed);
    for (int turns = 0; turns < 8; ++turns) device_ref(words[3 * far]).fetch_add(1, relaxed);
    fence<seq_cst, scope::device>();
    words[2 * far] = words[0] + 0u;
  }
}

TEST(fence_races, are_none_only_if_something_says_which_fence_came_first) {
  expect_race(race_of(fence_after_the_flag, 2), {"block 0, thread 0 has released since"});
}

/// Each thread has a fence before a barrier; one thread of the block tells the others.
template <bool Fenced>
void fences_before_a_barrier(cell32* words) {
  const unsigned mine = blockIdx.x == 0 ? threadIdx.x : (threadIdx.x + 1) % blockDim.x;
  if (blockIdx.x == 0) {
    words[mine] = 1;
    if (Fenced) fence<seq_cst, scope::device>();
    __syncthreads();
    if (threadIdx.x == 0) flag_of(words).store(1, relaxed);
  } else {
    if (threadIdx.x == 0) await<scope::device>(words[far], relaxed);
    __syncthreads();
    fence<seq_cst, scope::device>();
    static_cast<void>(words[mine] + 0u);
  }
}

TEST(fence_races, are_none_if_barriers_and_flags_of_others_say_it) {
  EXPECT_EQ(race_of(fences_before_a_barrier<true>, 2, 4), "");
  expect_race(race_of(fences_before_a_barrier<false>, 2, 4), {"plain load"});
}

}  // namespace
}  // namespace simt_test::fence_race_test
