// All threads read after a barrier what any thread wrote before it: over thousands of schedules.
#include "exchange.hpp"

#include <tests/catalogue/barriers.hpp>
#include <tests/library/locks/exploration.hpp>

namespace finesync::test::exchange_test {
namespace {

template <class Barrier>
class barriers : public ::testing::Test {};
TYPED_TEST_SUITE(barriers, test_types_barriers, test_types_barriers_names);

const unsigned seeds = seed_budget(100);  // for each memory mode

/// Odd numbers of blocks: fewer than SMs, more, no multiple of them, and one.
exchange_plan some_plan(unsigned seed) {
  constexpr unsigned threads[] = {1, 7, 32, 40, 64};
  constexpr unsigned blocks[] = {5, 1, 2, 9, 6, 3};
  return {.blocks = blocks[seed % 6], .threads_per_block = threads[seed % 5]};
}

template <class Barrier>
bool some_exchange_is_right() {
  return judge<Barrier>(some_plan(static_cast<unsigned>(simt::current_settings().seed))).right();
}

TYPED_TEST(barriers, hand_everything_over_on_random_schedules) {
  EXPECT_EQ(failing_seeds(simt::memory_kind::strong, seeds, some_exchange_is_right<TypeParam>), 0u);
}

TYPED_TEST(barriers, hand_everything_over_in_weak_memory) {
  EXPECT_EQ(failing_seeds(simt::memory_kind::weak, seeds, some_exchange_is_right<TypeParam>), 0u);
}

// The litmus test for a missing release: stores of all threads, far apart, before the barrier.
TYPED_TEST(barriers, hand_over_many_stores_right_before_them) {
  const auto right = [] {
    return judge<TypeParam>({.blocks = 6, .threads_per_block = 20, .stores = 12}).right();
  };
  EXPECT_EQ(failing_seeds(simt::memory_kind::weak, seed_budget(30), right), 0u);
}

// Blocks that pass and arrive again at once, next to others that are slow to leave.
TYPED_TEST(barriers, let_blocks_of_one_thread_come_back_at_once) {
  const auto right = [] {
    return judge<TypeParam>({.blocks = 12, .threads_per_block = 1, .rounds = 8, .launches = 1})
        .right();
  };
  EXPECT_EQ(failing_seeds(simt::memory_kind::weak, seeds, right), 0u);
}

TYPED_TEST(barriers, pass_a_full_small_gpu_many_times) {
  EXPECT_TRUE(judge<TypeParam>(many_times_on_a_full_small_gpu).right());
}

TEST(barriers_of_clusters, hand_everything_over_between_and_within_clusters) {
  for (const unsigned cluster_blocks : {2u, 4u}) {
    const auto right = [&] {
      return judge<cluster_barrier>({.blocks = 8, .cluster_blocks = cluster_blocks}).right();
    };
    EXPECT_EQ(failing_seeds(simt::memory_kind::strong, seed_budget(30), right), 0u);
    EXPECT_EQ(failing_seeds(simt::memory_kind::weak, seed_budget(60), right), 0u);
    const auto right_with_many_stores = [&] {
      return judge<cluster_barrier>({.blocks = 4,
                                     .threads_per_block = 20,
                                     .stores = 12,
                                     .cluster_blocks = cluster_blocks})
          .right();
    };
    EXPECT_EQ(failing_seeds(simt::memory_kind::weak, seed_budget(20), right_with_many_stores), 0u);
  }
}

// An unchecked barrier would wait for what an earlier launch has left behind.
TYPED_TEST(barriers, are_right_in_launches_of_one_round) {
  const auto right = [] {
    return judge<TypeParam>({.blocks = 5, .threads_per_block = 7, .rounds = 1, .launches = 4})
        .right();
  };
  EXPECT_EQ(failing_seeds(simt::memory_kind::strong, 100, right), 0u);
}

TYPED_TEST(barriers, serve_the_largest_blocks) {
  const exchange_plan large{.blocks = 2, .threads_per_block = 1024};
  simt::settings how;
  how.gpu = simt::find_gpu_model("titanv");
  simt::scoped_settings scoped(how);
  EXPECT_TRUE(judge<TypeParam>(large).right());
}

}  // namespace
}  // namespace finesync::test::exchange_test
