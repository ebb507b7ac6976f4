// Channels on the device: the graphs of the host's tests, and every chain.
#include "gpu_fixture.hpp"

#include <workloads/chain/channels.hpp>

#include <tests/catalogue/channels.hpp>
#include <tests/library/dataflow/channel_kernels.cuh>
#include <tests/primitives.hpp>

namespace finesync::test::dataflow_gpu_test {
namespace {

template <class ChannelArray>
class channels_on_gpu : public on_gpu {};
TYPED_TEST_SUITE(channels_on_gpu, test_types_channels, test_types_channels_names);

TYPED_TEST(channels_on_gpu, carry_many_tokens_one_by_one) {
  EXPECT_TRUE(pipes<TypeParam>({.tokens = 1000}));
  EXPECT_TRUE(pipes<TypeParam>({.users = 192, .tokens = 1000}));
}

TYPED_TEST(channels_on_gpu, carry_tokens_within_a_warp) {
  if (TypeParam::by_warps) GTEST_SKIP() << "it goes from warp to warp";
  EXPECT_TRUE(pipes<TypeParam>({.users = 40, .step = 1, .tokens = 100}));
  EXPECT_TRUE(pipes<TypeParam>({.users = 70, .step = 5, .tokens = 100}));
}

TYPED_TEST(channels_on_gpu, are_read_by_many) {
  if (!TypeParam::many_readers) GTEST_SKIP() << "it has one consumer";
  EXPECT_TRUE(shares<TypeParam>({.users = 192, .tokens = 100}));
}

TYPED_TEST(channels_on_gpu, meet_in_a_diamond) {
  EXPECT_TRUE(meets_in_diamond<TypeParam>({.tokens = 1000}));
}

class chains_on_gpu
    : public on_gpu,
      public ::testing::WithParamInterface<workload::catalogue_entry<chain::run_config>> {};
INSTANTIATE_TEST_SUITE_P(, chains_on_gpu,
                         ::testing::ValuesIn(workload::runnable(chain::all_channels())),
                         workload::name_of_primitive);

TEST_P(chains_on_gpu, have_the_right_sums_and_cycles) {
  for (const unsigned warps : {1u, 2u, 16u}) {
    const auto experiment = GetParam().make({.warps = warps});
    workload::expect_right(*experiment);
    EXPECT_GT(experiment->measure().at("chain_cycles_p50"), 0.0);
  }
}

TEST_P(chains_on_gpu, fill_a_block) {
  for (const unsigned warps : {24u, 32u})
    workload::expect_right_or_skip(GetParam().make, {.warps = warps});
}

TEST_P(chains_on_gpu, go_through_lanes) {
  workload::expect_right_or_skip(GetParam().make, {.warps = 4, .distance = 3, .rounds = 20});
}

}  // namespace
}  // namespace finesync::test::dataflow_gpu_test
