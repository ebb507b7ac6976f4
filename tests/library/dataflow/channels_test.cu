// Tokens arrive once, in order and with the earlier writes: over a thousand schedules of each
// channel and graph.
#include "channel_kernels.cuh"

#include <tests/catalogue/channels.hpp>
#include <tests/library/locks/exploration.hpp>

namespace finesync::test {
namespace {

template <class ChannelArray>
class channels : public ::testing::Test {
 protected:
  template <class Check>
  static void hold(Check right) {
    const unsigned seeds = seed_budget(250);  // of each memory mode
    EXPECT_EQ(failing_seeds(simt::memory_kind::strong, seeds, right), 0u);
    EXPECT_EQ(failing_seeds(simt::memory_kind::weak, seeds, right), 0u);
  }
};
TYPED_TEST_SUITE(channels, test_types_channels, test_types_channels_names);

TYPED_TEST(channels, carry_many_tokens_one_by_one) {
  this->hold([] { return pipes<TypeParam>({}); });
}

TYPED_TEST(channels, carry_tokens_within_a_warp) {
  if (TypeParam::by_warps) GTEST_SKIP() << "it goes from warp to warp";
  this->hold([] { return pipes<TypeParam>({.users = 7, .step = 1}); });
  this->hold([] { return pipes<TypeParam>({.users = 40, .step = 3, .tokens = 2}); });
}

TYPED_TEST(channels, are_read_by_many) {
  if (!TypeParam::many_readers) GTEST_SKIP() << "it has one consumer";
  this->hold([] { return shares<TypeParam>({.users = 128, .tokens = 2}); });
  if (!TypeParam::by_warps)
    this->hold([] { return shares<TypeParam>({.users = 9, .step = 2, .tokens = 2}); });
}

TYPED_TEST(channels, meet_in_a_diamond) {
  this->hold([] { return meets_in_diamond<TypeParam>({.tokens = 2}); });
}

TYPED_TEST(channels, take_no_harm_from_a_thread_that_stands_aside) {
  // One step of one thread, in each warp, is delayed at a time.
  constexpr graph small{.users = 64, .tokens = 2, .watchdog_ns = 2'000'000};
  const auto right = [&] { return ends_right([&] { return pipes<TypeParam>(small); }); };
  EXPECT_EQ(failing_preemptions(60, 500, right, 1), 0u);
}

}  // namespace
}  // namespace finesync::test
