// The barrier of several GPUs on many schedules, in strong and weak memory.
#include "gpus_exchange.hpp"

#include <simt/launch.hpp>

#include <gtest/gtest.h>
#include <tests/library/locks/exploration.hpp>
#include <tests/seed_budget.hpp>

namespace finesync::test::gpus_barrier_test {
namespace {

const std::vector<int> two{0, 1};
const std::vector<int> four{0, 1, 2, 3};
const std::vector<int> eight{0, 1, 2, 3, 4, 5, 6, 7};
const std::vector<int> twice_one{0, 0};

void expect_right(const gpus_exchange_plan& plan, unsigned seeds) {
  expect_right_in_any_memory(seed_budget(seeds),
                             [&] { return judge_on_gpus<gpus_barrier>(plan).right(); });
}

TEST(gpus_barrier, hands_everything_over_between_two_gpus) {
  expect_right({.devices = two}, 60);
  expect_right({.devices = two, .blocks = 5, .threads_per_block = 2}, 40);
  expect_right({.devices = two, .blocks = 1, .threads_per_block = 2}, 40);
}

TEST(gpus_barrier, hands_everything_over_between_two_grids_of_one_gpu) {
  expect_right({.devices = twice_one}, 60);
}

TEST(gpus_barrier, hands_everything_over_between_four_and_eight_gpus) {
  expect_right({.devices = four, .blocks = 2}, 30);
  expect_right({.devices = {0, 1, 2}, .blocks = 2}, 30);
  expect_right({.devices = eight, .blocks = 2, .threads_per_block = 8}, 10);
}

TEST(gpus_barrier, lets_a_gpu_join_when_the_others_have_arrived) {
  expect_right({.devices = two, .blocks = 2, .rounds = 2, .late = 300}, 20);
}

TEST(gpus_barrier, works_when_its_root_is_on_another_side_of_the_l2_in_each_launch) {
  gpus_exchange_plan plan{.devices = two, .rounds = 2, .launches = 1};
  const peers all(std::span<const int>(plan.devices));
  const gpus_barrier barrier(all, plan.shape(), plan.plan);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const simt::scoped_settings elsewhere(simt::random_schedule(seed));
    EXPECT_TRUE(judge_on_gpus(plan, all, barrier).right()) << seed;
  }
}

TEST(gpus_barrier, works_with_the_blocks_of_one_gpu_alone) {
  expect_right({.devices = {0}, .threads_per_block = 2}, 20);
}

TEST(gpus_barrier, works_with_copies_on_both_sides_in_blocks_of_several_warps) {
  expect_right({.devices = two,
                .blocks = 4,
                .threads_per_block = 40,
                .rounds = 2,
                .plan = {.counters = 4, .replicas = 8}},
               8);
}

/// The plan in effect of a plan for many lanes.
counter_plan cut(const std::vector<int>& devices, unsigned threads) {
  const peers all{std::span<const int>(devices)};
  return gpus_barrier(all, {.blocks = 2, .threads_per_block = threads},
                      {.counters = 32, .replicas = 16})
      .plan();
}

TEST(gpus_barrier, has_a_lane_for_each_copy_on_each_gpu) {
  EXPECT_EQ(cut(two, 64).replicas, 8u);
  EXPECT_EQ(cut(eight, 64).replicas, 2u);
  EXPECT_EQ(cut(eight, 8).replicas, 1u);
  EXPECT_EQ(cut(eight, 8).sides, 1u);
  EXPECT_EQ(cut(two, 64).counters, 32u);
}

TEST(gpus_barrier, takes_a_plan_for_its_blocks_per_sm) {
  const auto chosen = [](const peers& all, unsigned per_sm) {
    const unsigned blocks = per_sm * static_cast<unsigned>(current_gpu().sms);
    return gpus_barrier(all, {.blocks = blocks, .threads_per_block = 64}).plan();
  };
  const peers all(2);
  EXPECT_EQ(chosen(all, 2).counters, 1u);
  EXPECT_EQ(chosen(all, 4).replicas, 4u);
  EXPECT_EQ(chosen(all, 8).counters, 4u);
  EXPECT_EQ(chosen(all, 17).counters, 32u);
  EXPECT_EQ(chosen(peers(std::span<const int>(twice_one)), 4).counters, 4u)
      << "two grids have as many blocks on an SM together";
}

TEST(peers, take_turns_on_the_devices_of_the_machine) {
  const peers all = peers::in_turns(3);
  EXPECT_EQ(all.stream_of(2).device(), 2) << "the executor has as many as are named";
  EXPECT_EQ(all.grids_beside(0), 1u);
  EXPECT_EQ(peers(std::span<const int>(twice_one)).grids_beside(1), 2u);
}

TEST(gpus_barrier, refuses_what_cannot_be) {
  const peers all(4);
  EXPECT_THROW(gpus_barrier(all, {.blocks = 2, .threads_per_block = 3}, {}), std::invalid_argument);
  EXPECT_THROW(peers(9), std::invalid_argument);
  EXPECT_THROW(peers(0), std::invalid_argument);
}

template <class BarrierRef>
__global__ void pass_on_gpus(BarrierRef barrier, unsigned times, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  for (unsigned i = 0; i < times; ++i)
    if (!participant.wait()) return;
}

simt::counters counts_of(unsigned times) {
  const peers all(2);
  const launch_shape shape{.blocks = 4, .threads_per_block = 32};
  const gpus_barrier barrier(all, shape, {.counters = 2, .replicas = 2});
  const gpus_watchdog timeout(all);
  launch_together(all.streams(), pass_on_gpus<gpus_barrier::ref_type>, shape,
                  [&](unsigned me) { return std::tuple(barrier.ref(me), times, timeout.ref(me)); });
  EXPECT_FALSE(timeout.fired());
  return simt::last_launch().counts;
}

TEST(gpus_barrier, crosses_the_link_once_per_gpu) {
  constexpr unsigned barriers = 10;
  const simt::counters many = counts_of(barriers + 1);
  const simt::counters one = counts_of(1);
  const auto per_barrier = [&](simt::op_kind kind, scope reach, simt::space where) {
    return (many.operations(kind, reach, where) - one.operations(kind, reach, where)) / barriers;
  };
  using enum simt::op_kind;
  // Each root: two copies on two sides of two GPUs, each added to by a lane after its fence.
  EXPECT_EQ(per_barrier(fetch_add, scope::system, simt::space::global), 2u * 8);
  // Each other block: one addition after one fence; and a fence by each of the root's lanes.
  EXPECT_EQ(per_barrier(fetch_add, scope::device, simt::space::global), 2u * 3);
  EXPECT_EQ(per_barrier(fence, scope::device, simt::space::none), 2u * (3 + 32));
  // All first warps acquire after the poll.
  EXPECT_EQ(per_barrier(fence, scope::system, simt::space::none), 2u * (8 + 4 * 32));
}

}  // namespace
}  // namespace finesync::test::gpus_barrier_test
