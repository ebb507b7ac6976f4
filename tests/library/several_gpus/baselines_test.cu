// The barriers of several GPUs that gpus_barrier is compared with, on many schedules; broken ones
// are rejected.
#include "gpus_exchange.hpp"
#include "weaker_fences.cuh"

#include <finesync/barriers/sense_reversing_barrier.cuh>
#include <finesync/several_gpus/every_block_crosses.cuh>
#include <finesync/several_gpus/grid_cross_grid.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/exploration.hpp>
#include <tests/seed_budget.hpp>

namespace finesync::test::gpus_baselines_test {
namespace {

template <class Fences>
struct every_block {
  using barrier = every_block_crosses_barrier<Fences>;
};
template <class Fences>
struct through_grids {
  using barrier = grid_cross_grid_barrier<sense_reversing_barrier<>, cross_by_boxes<Fences>>;
};

/// The number of schedules with a wrong word, or that do not end.
template <class Barrier>
unsigned failing(simt::memory_kind memory, const gpus_exchange_plan& plan) {
  return failing_twin_seeds(memory, 60, [&] { return judge_on_gpus<Barrier>(plan).right(); });
}

/// The number of schedules with a race.
template <class Barrier>
unsigned racing() {
  return racing_seeds(5, [] {
    judge_on_gpus<Barrier>({});
    return true;
  });
}

template <class Barrier>
void expect_right(const gpus_exchange_plan& plan) {
  expect_right_in_any_memory(seed_budget(20), [&] { return judge_on_gpus<Barrier>(plan).right(); });
}

template <class Form>
class gpus_baseline : public ::testing::Test {};
using forms = ::testing::Types<every_block<gpus_fences>, through_grids<gpus_fences>>;
TYPED_TEST_SUITE(gpus_baseline, forms);

TYPED_TEST(gpus_baseline, hands_everything_over) {
  using barrier = typename TypeParam::barrier;
  expect_right<barrier>({.devices = {0, 1}});
  expect_right<barrier>({.devices = {0, 0}});
  expect_right<barrier>({.devices = {0, 1, 2}, .blocks = 2});
  expect_right<barrier>({.devices = {0, 1}, .blocks = 1, .threads_per_block = 2});
}

TYPED_TEST(gpus_baseline, lets_a_gpu_join_when_the_others_have_arrived) {
  expect_right<typename TypeParam::barrier>(
      {.devices = {0, 1}, .blocks = 2, .rounds = 2, .late = 300});
}

TYPED_TEST(gpus_baseline, does_not_race) {
  EXPECT_EQ(racing<typename TypeParam::barrier>(), 0u);
}

TYPED_TEST(gpus_baseline, refuses_a_block_without_a_thread_for_each_gpu) {
  const peers all(4);
  using barrier = typename TypeParam::barrier;
  EXPECT_THROW(barrier(all, {.blocks = 2, .threads_per_block = 3}), std::invalid_argument);
}

template <class Fences>
class gpus_baseline_with : public ::testing::Test {};
TYPED_TEST_SUITE(gpus_baseline_with, weaker_crossings);

TYPED_TEST(gpus_baseline_with, a_weaker_order_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<typename every_block<TypeParam>::barrier>(simt::memory_kind::weak, {}), 0u);
  EXPECT_GT(failing<typename through_grids<TypeParam>::barrier>(simt::memory_kind::weak, {}), 0u);
}

// Weak memory does not show all words of a narrow scope: what one block stores reaches the others
// in the end.
TEST(words_between_gpus, of_a_gpu_alone_race) {
  EXPECT_GT(racing<every_block<crosses_in_words_of_a_gpu>::barrier>(), 0u);
  EXPECT_GT(racing<through_grids<crosses_in_words_of_a_gpu>::barrier>(), 0u);
}

}  // namespace
}  // namespace finesync::test::gpus_baselines_test
