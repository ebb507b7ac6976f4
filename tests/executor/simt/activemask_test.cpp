// __activemask: any set of lanes is possible, but the lanes must agree on it.
#include "harness.hpp"

#include <finesync/device/warp.cuh>

namespace simt_test::activemask_test {
namespace {

constexpr unsigned rounds = 5;

__global__ void ask(cell32* masks, unsigned staying) {
  const unsigned me = threadIdx.x;
  if (me >= staying) return;
  for (unsigned round = 0; round < rounds; ++round) {
    masks[round * blockDim.x + me] = 0;
    masks[round * blockDim.x + me] = __activemask();
  }
}

std::vector<std::uint32_t> ask_under(const simt::settings& s, unsigned threads, unsigned staying) {
  const simt::scoped_settings use(s);
  return words_after(ask, {.threads_per_block = threads}, {rounds * threads}, staying)[0];
}

/// Each lane is represented by its index in the list; `first` is that of lane 0.
void expect_agreement(const std::vector<std::uint32_t>& masks, std::size_t first, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::uint32_t together = masks[first + lane];
    EXPECT_NE(together >> lane & 1, 0u) << "lane " << lane << " is not in its own set";
    for (unsigned other = 0; other < 32; ++other) {
      if ((together >> other & 1) == 0) continue;
      ASSERT_LT(other, lanes);
      EXPECT_EQ(masks[first + other], together) << "lanes " << lane << " and " << other;
    }
  }
}

TEST(activemask, lanes_that_come_together_are_found_together_in_round_robin) {
  const std::vector<std::uint32_t> masks = ask_under(round_robin(), 64, 64);
  EXPECT_EQ(masks, std::vector<std::uint32_t>(rounds * 64, full_warp));
}

TEST(activemask, lanes_that_do_not_exist_or_have_left_are_not_found) {
  const std::vector<std::uint32_t> partial = ask_under(round_robin(), 40, 40);
  for (unsigned i = 0; i < partial.size(); ++i) {
    EXPECT_EQ(partial[i], i % 40 < 32 ? full_warp : 0xffu);
  }
  const std::vector<std::uint32_t> after_exit = ask_under(round_robin(), 32, 10);
  for (unsigned i = 0; i < after_exit.size(); ++i) {
    EXPECT_EQ(after_exit[i], i % 32 < 10 ? 0x3ffu : 0u);
  }
}

__global__ void ask_once(cell32* masks) {
  masks[threadIdx.x] = __activemask();
}

TEST(activemask, members_of_a_set_agree_on_it) {
  bool found_all = false;
  bool found_some = false;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed));
    const auto [found] = words_after(ask_once, {.threads_per_block = 64}, {64});
    expect_agreement(found, 0, 32);
    expect_agreement(found, 32, 32);
    (found[0] == full_warp ? found_all : found_some) = true;
  }
  EXPECT_TRUE(found_all);
  EXPECT_TRUE(found_some);
}

__global__ void ask_in_branches(cell32* masks) {
  if (threadIdx.x < 12) {
    masks[threadIdx.x] = __activemask();
  } else {
    for (unsigned i = 0; i < 40; ++i) masks[threadIdx.x] = i;
    masks[threadIdx.x] = __activemask();
  }
}

TEST(activemask, lanes_that_come_much_later_are_not_waited_for) {
  const simt::scoped_settings use(round_robin());
  const auto [masks] = words_after(ask_in_branches, {}, {32});
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(masks[lane], lane < 12 ? 0xfffu : ~0xfffu);
}

/// Two places in the code, with independent lanes.
__global__ void combine_in_branches(cell32* sums) {
  if (threadIdx.x % 2 == 0) {
    const unsigned together = __activemask();
    __syncwarp(together);
    device_ref(sums[0]).fetch_add(1, memory_order::relaxed);
  } else {
    const unsigned together = __activemask();
    const unsigned voters = __ballot_sync(together, 1);
    device_ref(sums[1]).fetch_add(voters == together ? 1 : 0, memory_order::relaxed);
  }
}

TEST(activemask, lanes_at_different_places_are_not_found_together) {
  for (unsigned seed = 0; seed <= 20; ++seed) {
    const simt::scoped_settings use(seed == 0 ? round_robin() : simt::random_schedule(seed));
    SCOPED_TRACE(seed);
    EXPECT_EQ(words_after(combine_in_branches, {}, {2})[0], std::vector<std::uint32_t>(2, 16));
  }
}

/// Warp-combining locks: all lanes here with the same key act as one.
__global__ void add_combined(cell32* sums, cell32* additions) {
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned key = (threadIdx.x + round) % 3;
    const lane_group group = lane_group::with_same(key);
    if (group.is_leader()) {
      device_ref(sums[key]).fetch_add(static_cast<unsigned>(group.size()), memory_order::relaxed);
      device_ref(*additions).fetch_add(1, memory_order::relaxed);
    }
    const unsigned leader = group.get(threadIdx.x + 0u, group.leader());
    if (leader % 32 != static_cast<unsigned>(group.leader())) sums[key] = 0;
    group.sync();
  }
}

TEST(activemask, groups_of_lanes_with_the_same_key_count_every_lane_once) {
  for (unsigned seed = 0; seed <= 60; ++seed) {
    const simt::scoped_settings use(seed == 0 ? round_robin() : simt::random_schedule(seed));
    const auto [sums, additions] =
        words_after(add_combined, {.blocks = 2, .threads_per_block = 48}, {3, 1});
    EXPECT_EQ(sums, std::vector<std::uint32_t>(3, 2 * 48 * rounds / 3)) << seed;
    if (seed > 0) continue;
    EXPECT_EQ(additions[0], 2u * 2 * 3 * rounds) << "nothing separates the lanes";
  }
}

/// Each lane contributes its number; `groups` groups of lanes.
__global__ void fold_numbers(cell32* sums, cell32* sums_of_few, unsigned groups) {
  const auto sum = [](std::uint32_t a, std::uint32_t b) { return a + b; };
  const lane_group group = lane_group::with_same(threadIdx.x % groups);
  sums[threadIdx.x] = group.fold(threadIdx.x + 0u, sum);
  sums_of_few[threadIdx.x] = group.fold_few(threadIdx.x + 0u, sum);
}

TEST(lane_groups, of_any_size_fold_what_they_bring) {
  const simt::scoped_settings use(round_robin());
  for (unsigned groups = 1; groups <= 32; ++groups) {
    const auto [sums, sums_of_few] = words_after(fold_numbers, {}, {32, 32}, groups);
    std::vector<std::uint32_t> expected(32);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned other = lane % groups; other < 32; other += groups) expected[lane] += other;
    EXPECT_EQ(sums, expected) << groups;
    EXPECT_EQ(sums_of_few, expected) << groups;
  }
}

// Warp collectives whose mask does not match their participants, and masks that only seem wrong.

using simt::fault_kind;

void expect_wrong_mask(std::initializer_list<std::string> words, void (*kernel)()) {
  expect_stuck(ending_of(kernel, {}), fault_kind::wrong_warp_mask, words);
}

TEST(warp_mask_report, caller_is_not_in_its_mask) {
  expect_wrong_mask({"block 0, thread 4", "lane 4", "0x0000000f"}, [] {
    if (threadIdx.x == 4) __syncwarp(0x0f);
  });
}

TEST(warp_mask_report, a_lane_has_exited_before) {
  expect_wrong_mask({"lane 9", "0xffffffff"}, [] {
    if (threadIdx.x == 9) return;
    __syncwarp(~(1u << 9));
    __ballot_sync(full_warp, 1);
  });
}

TEST(warp_mask_report, a_lane_exits_while_others_wait) {
  expect_wrong_mask({"lane 31", "0xffffffff"}, [] {
    if (threadIdx.x == 31) return;
    __ballot_sync(full_warp, 1);
  });
}

TEST(warp_mask_report, lanes_name_each_other_in_different_masks) {
  expect_wrong_mask({"block 0, thread 0", "lane 1", "0x00000003"}, [] {
    if (threadIdx.x == 0) __syncwarp(0x03);
    if (threadIdx.x == 1) __syncwarp(0x07);
    if (threadIdx.x == 2) __syncwarp(0x07);
  });
}

TEST(warp_mask_report, lanes_come_to_different_collectives) {
  expect_wrong_mask({"block 0, thread 1", "lane 0"}, [] {
    if (threadIdx.x % 2 == 0) {
      __syncwarp();
    } else {
      __ballot_sync(full_warp, 1);
    }
  });
}

void do_nothing(std::span<void* const, 32>) {}

TEST(warp_mask_report, lanes_come_together_at_different_places) {
  expect_wrong_mask({"block 0, thread 31", "lane 0", "0xffffffff"}, [] {
    const void* const places[] = {reinterpret_cast<const void*>(do_nothing),
                                  reinterpret_cast<const void*>(expect_wrong_mask)};
    simt::warp_together_at(places[threadIdx.x % 2], nullptr, do_nothing);
  });
}

TEST(warp_mask_report, shuffle_reads_a_lane_outside_the_mask) {
  expect_wrong_mask({"lane 8", "0x000000ff"}, [] {
    if (threadIdx.x < 8) __shfl_sync(0xff, threadIdx.x + 0u, 8);
  });
}

// Correct
// ---------------------------------------------------------------------------------------------

/// Half a warp is still in its own collective when the other half reaches one of all lanes.
__global__ void half_then_whole(cell32* sum) {
  std::uint32_t mine = threadIdx.x;
  if (threadIdx.x < 16) mine = __shfl_xor_sync(0xffff, mine, 1);
  if (threadIdx.x < 4) mine = __shfl_xor_sync(0xf, mine, 1);
  mine = __shfl_xor_sync(full_warp, mine, 16);
  device_ref(*sum).fetch_add(mine, memory_order::relaxed);
}

TEST(warp_mask_report, lanes_may_come_later_from_a_collective_of_fewer) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed));
    SCOPED_TRACE(seed);
    ASSERT_EQ(words_after(half_then_whole, {}, {1})[0][0], 31u * 32 / 2);
  }
}

__global__ void exit_of_a_lane_that_nobody_names() {
  if (threadIdx.x >= 20) return;
  __syncwarp((1u << 20) - 1);
}

TEST(warp_mask_report, lanes_outside_the_mask_may_exit) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed));
    const ending end = ending_of(exit_of_a_lane_that_nobody_names, {});
    ASSERT_FALSE(end.stuck) << "seed " << seed << ": " << end.report;
  }
}

}  // namespace
}  // namespace simt_test::activemask_test
