// The barrier of one SM's blocks: it orders all their accesses, and waits for no other blocks.
#include "broken_barriers.hpp"
#include "exchange.hpp"

#include <finesync/device/clock.cuh>

namespace finesync::test::sm_exchange_test {
namespace {

/// Exchanges on the SM, more on some SMs than on others, between exchanges of the grid.
/// `sm_of` has a place per thread.
template <class BarrierRef>
__global__ void exchange_on_sms(BarrierRef barrier, exchange_ref of_grid, exchange_ref of_sm,
                                cell<std::uint32_t>* sm_of, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  sm_of[me] = sm_id();
  if (!participant.wait()) return;

  unsigned sm_round = of_sm.first_round;
  for (unsigned round = of_grid.first_round; round < of_grid.first_round + of_grid.rounds;
       ++round) {
    for (unsigned left = 1 + sm_id() % 2; left > 0; --left, ++sm_round) {
      of_sm.dawdle(sm_round, 0);
      of_sm.write(sm_round);
      if (!participant.wait_on_sm()) return;
      of_sm.dawdle(sm_round, 1);
      for (unsigned block = 0; block < gridDim.x; ++block) {
        const unsigned other = block * blockDim.x + (threadIdx.x + sm_round) % blockDim.x;
        if (sm_of[other] != sm_id()) continue;
        const bool right = of_sm.word(sm_round, 0, other) == of_sm.stamp(sm_round, 0, other);
        if (!right) of_sm.wrong[me] = of_sm.wrong[me] + 1;
      }
    }
    of_grid.write(round);
    if (!participant.wait()) return;
    of_grid.wrong[me] = of_grid.wrong[me] + of_grid.count_wrong(round);
    of_grid.passed[me] = of_grid.passed[me] + 1;
  }
}

template <class Barrier>
exchange_outcome run_on_sms(const exchange_config& config) {
  const launch_shape shape{config.blocks, config.threads_per_block};
  Barrier barrier(shape);
  exchange_state on_grid(config);
  exchange_config plan_on_sm = config;
  plan_on_sm.rounds = 2 * config.rounds;  // at most
  exchange_state on_sm(plan_on_sm);
  buffer<std::uint32_t> sm_of(shape.blocks * shape.threads_per_block);
  const bool ended = all_end(config.launches, [&](unsigned launch, const watchdog_ref& watchdog) {
    launch_cooperative(exchange_on_sms<ref_of<Barrier>>, shape, barrier.ref(), on_grid.ref(launch),
                       on_sm.ref(launch), sm_of.device_data(), watchdog);
  });
  const exchange_outcome found = on_grid.outcome(ended);
  return {found.complete, found.nothing_wrong && on_sm.outcome(ended).nothing_wrong};
}

constexpr exchange_config some_per_sm{.blocks = 9, .threads_per_block = 7};

template <class Barrier>
unsigned failing(simt::memory_kind memory, unsigned seeds) {
  return failing_seeds(
      memory, seeds, [] { return run_on_sms<Barrier>(some_per_sm).nothing_wrong; }, races::pass);
}

template <class Barrier>
class barriers_of_one_sm : public ::testing::Test {};
TYPED_TEST_SUITE(barriers_of_one_sm, test_types_on_sm_barriers, test_types_on_sm_barriers_names);

TYPED_TEST(barriers_of_one_sm, hand_everything_over) {
  const auto right = [] { return run_on_sms<TypeParam>(some_per_sm).right(); };
  expect_right_in_any_memory(seed_budget(50), right);
}

TYPED_TEST(barriers_of_one_sm, serve_blocks_that_are_alone_and_large_ones) {
  EXPECT_TRUE(run_on_sms<TypeParam>({.blocks = 1, .threads_per_block = 40}).right());
  EXPECT_TRUE(run_on_sms<TypeParam>({.blocks = 4, .threads_per_block = 40}).right());
  EXPECT_TRUE(run_on_sms<TypeParam>({.blocks = 7, .threads_per_block = 256}).right());
}

TYPED_TEST(barriers_of_one_sm, are_rejected_when_they_do_not_wait) {
  EXPECT_GT((failing<flawed<no_barrier_on_sm, TypeParam>>(strong, 50)), 0u);
}

TYPED_TEST(barriers_of_one_sm, are_rejected_when_they_release_early) {
  EXPECT_GT((failing<flawed<releases_its_sm_early, TypeParam>>(strong, 50)), 0u);
}

template <class Fences>
void expect_rejected_in_weak_memory() {
  using trees = trees_with<Fences>;
  EXPECT_GT(failing<typename trees::atomic>(weak, 50), 0u);
  EXPECT_GT(failing<typename trees::reversing>(weak, 50), 0u);
  EXPECT_GT(failing<typename trees::lock_free>(weak, 50), 0u);
  EXPECT_GT(failing<typename trees::atomic_printed>(weak, 50), 0u);
  EXPECT_GT(failing<typename trees::reversing_printed>(weak, 50), 0u);
}

TEST(broken_barriers_of_one_sm, are_rejected_without_release) {
  expect_rejected_in_weak_memory<without_release>();
}

TEST(broken_barriers_of_one_sm, are_rejected_without_acquire) {
  expect_rejected_in_weak_memory<without_acquire>();
}

}  // namespace
}  // namespace finesync::test::sm_exchange_test
