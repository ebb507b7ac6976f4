// All threads read after a barrier what any thread wrote before it: over thousands of schedules. A
// block that never arrives ends the others' waits, and invalid shapes are rejected.
#include "exchange.hpp"

#include <finesync/barriers/epoch_counter.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/device/wrap_around.cuh>

namespace finesync::test::exchange_test {
namespace {

template <class Barrier>
class barriers : public ::testing::Test {};
TYPED_TEST_SUITE(barriers, test_types_barriers, test_types_barriers_names);

const unsigned seeds = seed_budget(100);  // for each memory mode

/// Odd numbers of blocks: fewer than SMs, more, no multiple of them, and one.
exchange_config some_plan(unsigned seed) {
  constexpr unsigned threads[] = {1, 7, 32, 40, 64};
  constexpr unsigned blocks[] = {5, 1, 2, 9, 6, 3};
  return {.blocks = blocks[seed % 6], .threads_per_block = threads[seed % 5]};
}

template <class Barrier>
bool some_exchange_is_right() {
  return run_exchange<Barrier>(some_plan(static_cast<unsigned>(simt::current_settings().seed)))
      .right();
}

TYPED_TEST(barriers, hand_everything_over_on_random_schedules) {
  EXPECT_EQ(failing_seeds(strong, seeds, some_exchange_is_right<TypeParam>), 0u);
}

TYPED_TEST(barriers, hand_everything_over_in_weak_memory) {
  EXPECT_EQ(failing_seeds(weak, seeds, some_exchange_is_right<TypeParam>), 0u);
}

// The litmus test for a missing release: stores of all threads, far apart, before the barrier.
TYPED_TEST(barriers, hand_over_many_stores_right_before_them) {
  const auto right = [] {
    return run_exchange<TypeParam>({.blocks = 6, .threads_per_block = 20, .stores = 12}).right();
  };
  EXPECT_EQ(failing_seeds(weak, seed_budget(30), right), 0u);
}

// Blocks that pass and arrive again at once, next to others that are slow to leave.
TYPED_TEST(barriers, let_blocks_of_one_thread_come_back_at_once) {
  const auto right = [] {
    return run_exchange<TypeParam>(
               {.blocks = 12, .threads_per_block = 1, .rounds = 8, .launches = 1})
        .right();
  };
  EXPECT_EQ(failing_seeds(weak, seeds, right), 0u);
}

TYPED_TEST(barriers, pass_a_full_small_gpu_many_times) {
  EXPECT_TRUE(run_exchange<TypeParam>(many_times_on_a_full_small_gpu).right());
}

TEST(barriers_of_clusters, hand_everything_over_between_and_within_clusters) {
  for (const unsigned cluster_blocks : {2u, 4u}) {
    const auto right = [&] {
      return run_exchange<cluster_barrier>({.blocks = 8, .cluster_blocks = cluster_blocks}).right();
    };
    EXPECT_EQ(failing_seeds(strong, seed_budget(30), right), 0u);
    EXPECT_EQ(failing_seeds(weak, seed_budget(60), right), 0u);
    const auto right_with_many_stores = [&] {
      return run_exchange<cluster_barrier>({.blocks = 4,
                                            .threads_per_block = 20,
                                            .stores = 12,
                                            .cluster_blocks = cluster_blocks})
          .right();
    };
    EXPECT_EQ(failing_seeds(weak, seed_budget(20), right_with_many_stores), 0u);
  }
}

// An unchecked barrier would wait for what an earlier launch has left behind.
TYPED_TEST(barriers, are_right_in_launches_of_one_round) {
  const auto right = [] {
    return run_exchange<TypeParam>(
               {.blocks = 5, .threads_per_block = 7, .rounds = 1, .launches = 4})
        .right();
  };
  EXPECT_EQ(failing_seeds(strong, 100, right), 0u);
}

TYPED_TEST(barriers, serve_the_largest_blocks) {
  const exchange_config large{.blocks = 2, .threads_per_block = 1024};
  simt::settings how;
  how.gpu = simt::find_gpu_model("titanv");
  simt::scoped_settings scoped(how);
  EXPECT_TRUE(run_exchange<TypeParam>(large).right());
}

// More SMs than barriers distinguish, with ids beyond those at the barrier's creation: SMs that
// share a slot still synchronize.

/// One block on each SM.
simt::settings gpu_of(int sms) {
  simt::settings how;
  how.gpu.sms = sms;
  how.gpu.max_blocks_per_sm = 1;
  return how;
}

template <class Barrier>
class many_sms : public ::testing::Test {};
TYPED_TEST_SUITE(many_sms, test_types_barriers, test_types_barriers_names);

TYPED_TEST(many_sms, share_slots_and_meet) {
  constexpr int sms = static_cast<int>(sm_slots) + 4;
  const exchange_config config{
      .blocks = static_cast<unsigned>(sms), .threads_per_block = 4, .rounds = 2, .launches = 1};
  const simt::scoped_settings scoped(gpu_of(sms));
  // The side of the last SM is unknown, and differs from that of the SM with the same slot.
  const auto made_for_fewer = [&] {
    const simt::scoped_settings fewer(gpu_of(sms - 1));
    return TypeParam({config.blocks, config.threads_per_block});
  };
  EXPECT_TRUE(run_exchange(config, made_for_fewer()).right());
}

template <class Barrier>
class absent_block : public ::testing::Test {};
TYPED_TEST_SUITE(absent_block, test_types_barriers, test_types_barriers_names);

TYPED_TEST(absent_block, ends_the_wait_of_the_others) {
  for (const unsigned who : {0u, 5u})
    expect_given_up<TypeParam>(form::whole, absence::before_wait, who);
}

TYPED_TEST(absent_block, ends_the_wait_of_the_others_also_when_it_never_joined) {
  expect_given_up<TypeParam>(form::whole, absence::before_join);
}

/// Block 0 joins when the watchdog has ended the join of the others, and arrives.
template <class BarrierRef>
__global__ void wait_for_late_block_0(BarrierRef barrier, cell<std::uint32_t>* gave_up,
                                      cell<std::uint32_t>* beats, watchdog_ref watchdog) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0)
      while (!watchdog.has_fired()) add_one(*beats);
    __syncthreads();
  }
  auto participant = join_alone(barrier, watchdog);
  if (!participant.wait()) gave_up[blockIdx.x * blockDim.x + threadIdx.x] = 1u;
}

/// Who has not seen all others join does not know what to wait for.
template <class Barrier>
void expect_given_up_for_late_block() {
  launch_shape shape{.blocks = 6, .threads_per_block = 40};
  const Barrier barrier(shape);
  shape.shared_bytes = reduction_bytes<ref_of<Barrier>>;
  const auto gave_up = zeroed(shape.blocks * shape.threads_per_block);
  EXPECT_FALSE(ends(watchdog(soon_ns), wait_for_late_block_0<ref_of<Barrier>>, shape, barrier,
                    gave_up, zeroed(1)));
  const auto threads = gave_up.to_host();
  EXPECT_EQ(std::count(threads.begin() + shape.threads_per_block, threads.end(), 1u),
            (shape.blocks - 1) * shape.threads_per_block);
}

TEST(late_block, does_not_let_those_pass_who_joined_without_it) {
  expect_given_up_for_late_block<sm_counters>();
  expect_given_up_for_late_block<flat_counters_with<sum_reduction>>();
  expect_given_up_for_late_block<flat_counters_with<min_reduction>>();
}

template <class Barrier>
std::string refusal_of_shape(const launch_shape& shape) {
  return refusal_of<launch_error>([&] { const Barrier barrier(shape); });
}

template <class Barrier>
class shape : public ::testing::Test {};
TYPED_TEST_SUITE(shape, test_types_barriers, test_types_barriers_names);

TYPED_TEST(shape, of_impossible_blocks_is_refused) {
  EXPECT_EQ((refusal_of_shape<TypeParam>({1, 1025})),
            "blocks of 1025 threads: a block has 1 to 1024");
  EXPECT_EQ((refusal_of_shape<TypeParam>({1, 0})), "blocks of 0 threads: a block has 1 to 1024");
  EXPECT_EQ((refusal_of_shape<TypeParam>({0, 32})), "a grid of 0 blocks");
  EXPECT_EQ((refusal_of_shape<TypeParam>({4, 1024})), "");
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
  const exchange_config config{.blocks = 4, .threads_per_block = 32};
  const launch_shape grid{config.blocks, config.threads_per_block};
  tried_barrier barrier(grid, {});
  buffer<std::uint64_t> cycles(1);
  watchdog patient;
  EXPECT_LT(barrier.try_out(grid, 10, cycles, patient), unbounded);

  set_watchdog("1");
  watchdog timeout;
  stalling_fences::stall = true;
  EXPECT_EQ(barrier.try_out(grid, 10, cycles, timeout), unbounded);
  stalling_fences::stall = false;
  EXPECT_LT(barrier.try_out(grid, 10, cycles, timeout), unbounded);
  set_watchdog("20");
  EXPECT_TRUE(run_exchange(config, barrier).right());
}

/// \param reached bits of the answers. \param targets of two words.
__global__ void ask(cell<std::uint32_t>* reached, cell<std::uint32_t>* targets) {
  reached[0] = has_reached<std::uint32_t>(5, 0xfffffff8) << 0 |
               has_reached<std::uint32_t>(0xfffffff8, 0xfffffff8) << 1 |
               has_reached<std::uint32_t>(0xfffffff8, 0) << 2 |
               has_reached<std::uint64_t>(1, ~std::uint64_t{0}) << 3 |
               has_reached<std::uint64_t>(~std::uint64_t{0}, 1) << 4;
  const epoch_counter of_six(6);
  targets[0] = of_six.target(0xfffffff9);
  targets[1] = of_six.target(0xfffffff0);
}

TEST(epoch_counter, goes_on_where_its_word_wraps) {
  auto reached = zeroed(1);
  auto targets = zeroed(2);
  launch_independent(ask, {1, 1}, reached.device_data(), targets.device_data());
  stream().synchronize();
  EXPECT_EQ(reached.to_host()[0], 0b01011u);
  EXPECT_EQ(targets.to_host()[0], 0u);
  EXPECT_EQ(targets.to_host()[1], 0xfffffff8u);
}

}  // namespace
}  // namespace finesync::test::exchange_test
