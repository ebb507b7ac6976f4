// Warp collectives whose mask does not match their participants, and masks that only seem wrong.
#include "harness.hpp"

namespace simt_test::warp_mask_report_test {
namespace {
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
}  // namespace simt_test::warp_mask_report_test
