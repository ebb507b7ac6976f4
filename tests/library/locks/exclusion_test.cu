// Mutual exclusion and visibility, over many schedules of each lock.
#include "exploration.hpp"

#include <tests/catalogue/locks.hpp>

namespace finesync::test::exclusion_test {
namespace {

template <class Lock>
class exclusion : public ::testing::Test {};
TYPED_TEST_SUITE(exclusion, test_types_locks, test_types_locks_names);

const unsigned seeds = seed_budget(120);  // of each memory mode

TYPED_TEST(exclusion, loses_no_update_on_random_schedules) {
  EXPECT_EQ(failing_seeds<TypeParam>({}, simt::memory_kind::strong, seeds), 0u);
}

TYPED_TEST(exclusion, loses_no_update_in_weak_memory) {
  EXPECT_EQ(failing_seeds<TypeParam>({}, simt::memory_kind::weak, seeds), 0u);
}

TYPED_TEST(exclusion, holds_among_threads_that_are_alone_in_their_warps) {
  const workshop lonely{.blocks = 3, .threads_per_block = 64, .locks = 1, .alone = true};
  EXPECT_EQ(failing_seeds<TypeParam>(lonely, simt::memory_kind::strong, seeds), 0u);
  EXPECT_EQ(failing_seeds<TypeParam>(lonely, simt::memory_kind::weak, seeds), 0u);
}

TYPED_TEST(exclusion, holds_with_one_lock_per_line) {
  const workshop padded{.layout = lock_layout::padded};
  EXPECT_EQ(failing_seeds<TypeParam>(padded, simt::memory_kind::weak, seed_budget(100)), 0u);
}

TYPED_TEST(exclusion, holds_with_more_waiters_than_any_queue_has_places) {
  const workshop contended{.blocks = 8, .threads_per_block = 64, .locks = 1, .rounds = 1};
  EXPECT_EQ(failing_seeds<TypeParam>(contended, simt::memory_kind::weak, seed_budget(4)), 0u);
}

// Passed within clusters, between them, and by more blocks than one cluster has.
TEST(exclusion_of_cohorts, holds_in_clusters_of_several_blocks) {
  for (const unsigned cluster_blocks : {2u, 4u}) {
    const workshop shop{
        .blocks = 4, .threads_per_block = 5, .locks = 1, .cluster_blocks = cluster_blocks};
    EXPECT_EQ(failing_seeds<small_cohort>(shop, simt::memory_kind::strong, seeds / 2), 0u);
    EXPECT_EQ(failing_seeds<small_cohort>(shop, simt::memory_kind::weak, seeds), 0u);
    const workshop lonely{
        .blocks = 8, .threads_per_block = 64, .locks = 2, .cluster_blocks = 4, .alone = true};
    EXPECT_EQ(failing_seeds<small_cohort>(lonely, simt::memory_kind::weak, seed_budget(20)), 0u);
  }
}

TYPED_TEST(exclusion, round_robin_finishes_a_full_small_gpu) {
  const workshop full{.blocks = 32, .threads_per_block = 64, .locks = 4, .rounds = 1};
  EXPECT_TRUE(counts_right<TypeParam>(full));
}

}  // namespace
}  // namespace finesync::test::exclusion_test
