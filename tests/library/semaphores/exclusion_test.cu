// Never more threads inside than permits, no torn read, no lost write, and every thread is served:
// over two thousand schedules of each semaphore and size.
#include "library_kernels.cuh"

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/locks/exploration.hpp>

namespace finesync::test::exclusion_test {
namespace {

template <class Semaphore>
class semaphores : public ::testing::Test {
 protected:
  static unsigned failing(const library& plan, simt::memory_kind memory, unsigned seeds) {
    return failing_seeds(memory, seeds, [&] { return serves_all<Semaphore>(plan); });
  }

  static void serve(unsigned size) {
    const unsigned seeds = seed_budget(120);  // of each memory mode
    EXPECT_EQ(failing({.size = size}, simt::memory_kind::strong, seeds), 0u);
    EXPECT_EQ(failing({.size = size}, simt::memory_kind::weak, seeds / 2), 0u);
    const library bare{.size = size, .counted = false};
    EXPECT_EQ(failing(bare, simt::memory_kind::weak, seeds / 2), 0u);
  }
};
TYPED_TEST_SUITE(semaphores, test_types_semaphores, test_types_semaphores_names);

TYPED_TEST(semaphores, of_size_1_are_locks) {
  this->serve(1);
}

// A writer holds no more than two readers.
TYPED_TEST(semaphores, of_size_2_take_turns_with_writers) {
  this->serve(2);
}

// Not a power of two, and fewer permits than readers.
TYPED_TEST(semaphores, of_size_3_hold_readers_back) {
  this->serve(3);
}

TYPED_TEST(semaphores, are_right_when_threads_poll_in_a_row) {
  const library plan{.size = 3, .counted = false, .alone = true};
  for (const simt::memory_kind memory : {simt::memory_kind::strong, simt::memory_kind::weak})
    EXPECT_EQ(this->failing(plan, memory, seed_budget(40)), 0u);
}

// A writer waits for many readers, and two lines are freed by one exit.
TYPED_TEST(semaphores, of_size_10_let_most_readers_in) {
  this->serve(10);
}

TYPED_TEST(semaphores, serve_a_full_small_gpu) {
  const library full{
      .blocks = 32, .threads_per_block = daily_or_whole(6u, 16u), .size = 7, .rounds = 1};
  EXPECT_TRUE(serves_all<TypeParam>(full));
}

TYPED_TEST(semaphores, are_used_again_without_a_reset) {
  const library plan{.size = 3};
  TypeParam semaphore(plan.size);
  EXPECT_TRUE(serves_all(semaphore, plan));
  EXPECT_TRUE(serves_all(semaphore, plan));
}

}  // namespace
}  // namespace finesync::test::exclusion_test
