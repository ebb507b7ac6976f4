// Primitives on the device that no program runs as such: locks in every block's shared memory, and
// channels in the host's graphs.
#include "gpu_fixture.hpp"

#include <tests/catalogue/channels.hpp>
#include <tests/catalogue/locks.hpp>
#include <tests/library/dataflow/channel_kernels.cuh>
#include <tests/library/locks/counter_kernels.cuh>
#include <tests/library/locks/no_lock.hpp>

namespace finesync::test::primitives_gpu_test {
namespace {

template <class Lock>
class block_scope : public on_gpu {};
TYPED_TEST_SUITE(block_scope, test_types_in_block_locks, test_types_in_block_locks_names);

constexpr lock_load in_blocks{.blocks = 128, .threads_per_block = 256, .rounds = 16};

TYPED_TEST(block_scope, loses_no_update_in_shared_memory) {
  EXPECT_TRUE(counts_right_in_blocks<TypeParam>(in_blocks));
}

class no_lock_on_gpu : public on_gpu {};

TEST_F(no_lock_on_gpu, is_rejected) {
  EXPECT_FALSE(counts_right_in_blocks<no_lock>(in_blocks));
}

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

}  // namespace
}  // namespace finesync::test::primitives_gpu_test
