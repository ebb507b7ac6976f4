// Invalid shapes are rejected with one clear line; trials that the watchdog ended leave no traces.
#include "exchange.hpp"

#include <finesync/device/ptx/sleep.cuh>
#include <finesync/host/error.cuh>
#include <finesync/host/machine.cuh>

#include <string>

namespace finesync::test::shape_test {
namespace {

template <class Barrier>
std::string refusal_of(const launch_shape& shape) {
  try {
    const Barrier barrier(shape);
  } catch (const launch_error& problem) {
    return problem.what();
  }
  return "";
}

template <class Barrier>
class shape : public ::testing::Test {};
TYPED_TEST_SUITE(shape, test_types_barriers, test_types_barriers_names);

TYPED_TEST(shape, of_impossible_blocks_is_refused) {
  EXPECT_EQ((refusal_of<TypeParam>({1, 1025})), "blocks of 1025 threads: a block has 1 to 1024");
  EXPECT_EQ((refusal_of<TypeParam>({1, 0})), "blocks of 0 threads: a block has 1 to 1024");
  EXPECT_EQ((refusal_of<TypeParam>({0, 32})), "a grid of 0 blocks");
  EXPECT_EQ((refusal_of<TypeParam>({4, 1024})), "");
}

/// Block 0 stays away for longer than any watchdog waits, while stalling is enabled.
struct stalling_fences : counter_fences {
  static inline bool stall = false;

  __device__ static void release() {
    if (stall && blockIdx.x == 0)
      for (int milliseconds = 0; milliseconds < 4; ++milliseconds) sleep_ns(1'000'000);
    counter_fences::release();
  }
};

struct tried_barrier : basic_counter_barrier<stalling_fences> {
  using basic_counter_barrier<stalling_fences>::basic_counter_barrier;
  using basic_counter_barrier<stalling_fences>::try_out;
};

void set_watchdog(const char* milliseconds) {
  for (const machine_option& option : machine_options())
    if (option.name == "watchdog-ms") option.set(milliseconds);
}

TEST(trial, that_the_watchdog_ended_is_for_ever_and_leaves_no_trace) {
  constexpr std::uint64_t unbounded = ~std::uint64_t{0};
  const exchange_plan plan{.blocks = 4, .threads_per_block = 32};
  const launch_shape grid{plan.blocks, plan.threads_per_block};
  tried_barrier barrier(grid, {});
  EXPECT_LT(barrier.try_out(grid), unbounded);

  set_watchdog("1");
  stalling_fences::stall = true;
  EXPECT_EQ(barrier.try_out(grid), unbounded);
  stalling_fences::stall = false;
  set_watchdog("20");
  EXPECT_TRUE(judge(plan, barrier).right());
}

}  // namespace
}  // namespace finesync::test::shape_test
