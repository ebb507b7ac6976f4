// Split-phase barriers, overlapped barriers, reductions, and barriers that order only execution:
// over random schedules, and their misuse.
#include "overlapped_exchange.hpp"

#include <finesync/host/watchdog.cuh>

#include <tests/library/locks/exploration.hpp>

#include <stdexcept>
#include <string>

namespace finesync::test::overlap_test {
namespace {

const unsigned seeds = seed_budget(60);  // for each memory mode

/// Odd numbers of blocks, fewer than SMs and more; `threads` in turn.
exchange_plan some_plan(std::initializer_list<unsigned> threads) {
  constexpr unsigned blocks[] = {5, 1, 2, 9, 6, 3};
  const auto seed = static_cast<unsigned>(simt::current_settings().seed);
  return {.blocks = blocks[seed % 6], .threads_per_block = threads.begin()[seed % threads.size()]};
}

template <class Judge>
void expect_right(Judge judged, std::initializer_list<unsigned> threads, unsigned many = seeds) {
  const auto right = [&] { return judged(some_plan(threads)).right(); };
  expect_right_in_any_memory(many, right);
}

template <class Barrier>
class split_barriers : public ::testing::Test {};
TYPED_TEST_SUITE(split_barriers, test_types_split_phase_barriers,
                 test_types_split_phase_barriers_names);

TYPED_TEST(split_barriers, hand_everything_over) {
  expect_right(judge_split<TypeParam>, {1, 7, 32, 40, 64});
}

TYPED_TEST(split_barriers, hand_over_many_stores_right_before_the_arrival) {
  const auto right = [] {
    return judge_split<TypeParam>({.blocks = 6, .threads_per_block = 20, .stores = 12}).right();
  };
  EXPECT_EQ(failing_seeds(simt::memory_kind::weak, seed_budget(50), right), 0u);
}

TYPED_TEST(split_barriers, pass_a_full_small_gpu_many_times) {
  EXPECT_TRUE(judge_split<TypeParam>(many_times_on_a_full_small_gpu).right());
}

template <class Barrier>
class fuzzy_barriers : public ::testing::Test {};
TYPED_TEST_SUITE(fuzzy_barriers, test_types_overlapped_barriers,
                 test_types_overlapped_barriers_names);

TYPED_TEST(fuzzy_barriers, let_no_block_run_two_rounds_ahead) {
  expect_right(judge_fuzzy<TypeParam>, {33, 40, 64, 96});
}

TYPED_TEST(fuzzy_barriers, pass_a_full_small_gpu_many_times) {
  EXPECT_TRUE(judge_fuzzy<TypeParam>(many_times_on_a_full_small_gpu).right());
}

template <class Barrier>
class barriers_of_execution : public ::testing::Test {};
TYPED_TEST_SUITE(barriers_of_execution, test_types_execution_barriers,
                 test_types_execution_barriers_names);

TYPED_TEST(barriers_of_execution, are_whole_barriers_between_fences_of_the_caller) {
  expect_right(judge_fenced<TypeParam>, {1, 7, 32, 40, 64});
}

// The contract excludes this ordering.
TYPED_TEST(barriers_of_execution, hand_nothing_over) {
  const auto right = [] { return judge_split<TypeParam>(some_plan({7})).nothing_wrong; };
  EXPECT_GT(failing_seeds(simt::memory_kind::weak, 100, right), 0u);
}

template <class Barrier>
class barriers_that_carry : public ::testing::Test {};
TYPED_TEST_SUITE(barriers_that_carry, test_types_payload_barriers,
                 test_types_payload_barriers_names);

TYPED_TEST(barriers_that_carry, tell_all_what_all_have_brought) {
  const unsigned shapes = seed_budget(30);  // each number of blocks with each of threads
  for (const form how : {form::whole, form::split, form::fuzzy}) {
    const auto right = [&](const exchange_plan& plan) {
      return judge_carried<TypeParam>(plan, how);
    };
    if (how == form::fuzzy)
      expect_right(right, {33, 40, 64}, shapes);
    else
      expect_right(right, {1, 7, 32, 33, 64}, shapes);
  }
}

TYPED_TEST(barriers_that_carry, pass_a_full_small_gpu_many_times) {
  for (const form how : {form::whole, form::split, form::fuzzy})
    EXPECT_TRUE(judge_carried<TypeParam>(many_times_on_a_full_small_gpu, how).right());
}

// The next launch finds what the last round has left, in the word of odd rounds.
TYPED_TEST(barriers_that_carry, begin_after_an_odd_number_of_rounds) {
  const auto right = [] {
    exchange_plan plan = some_plan({7});
    plan.rounds = 3;
    plan.launches = 3;
    return judge_carried<TypeParam>(plan, form::whole).right();
  };
  EXPECT_EQ(failing_seeds(simt::memory_kind::strong, 12, right), 0u);
}

// More than a field holds, over all rounds: it overflows into the next field, and out of the word.
template <class BarrierRef>
__global__ void carry_much(BarrierRef barrier, unsigned rounds, cell<std::uint32_t>* wrong,
                           watchdog_ref watchdog) {
  constexpr std::uint32_t much = (1u << 24) - 1;
  auto participant = join_alone(barrier, watchdog);
  for (unsigned round = 0; round < rounds; ++round) {
    participant.contribute(blockIdx.x == round % 2 ? much : 0);
    if (!participant.wait()) return;
    if (participant.reduced() != much) *wrong = 1;
  }
}

TEST(sums, are_right_when_all_rounds_together_overflow) {
  const launch_shape shape{
      .blocks = 2, .threads_per_block = 1, .shared_bytes = sizeof(reduction_slot)};
  const flat_counters_with<sum_reduction> barrier(shape);
  auto wrong = buffer<std::uint32_t>::zeroed(1);
  const watchdog timeout;
  launch_cooperative(carry_much<ref_of<flat_counters_with<sum_reduction>>>, shape, barrier.ref(),
                     600, wrong.device_data(), timeout.ref());
  stream().synchronize();
  EXPECT_FALSE(timeout.fired());
  EXPECT_EQ(wrong.to_host()[0], 0u);
}

template <class BarrierRef>
__global__ void contribute_one(BarrierRef barrier, std::uint32_t value, watchdog_ref watchdog) {
  auto participant = join_alone(barrier, watchdog);
  participant.contribute(value);
  participant.wait();
}

TEST(sums, of_more_than_their_field_holds_are_reported) {
  const launch_shape shape{
      .blocks = 1, .threads_per_block = 1, .shared_bytes = sizeof(reduction_slot)};
  const flat_counters_with<sum_reduction> barrier(shape);
  const watchdog timeout;
  const auto contribute = [&](std::uint32_t value) {
    launch_cooperative(contribute_one<ref_of<flat_counters_with<sum_reduction>>>, shape,
                       barrier.ref(), value, timeout.ref());
    stream().synchronize();
  };
  EXPECT_NO_THROW(contribute((1u << 24) - 1));
  EXPECT_THROW(contribute(1u << 24), std::logic_error);
}

TEST(payload, is_refused_by_sm_counters) {
  EXPECT_THROW((planned<counter_topology::sm_counters, 1, 2, 2, counter_fences, sum_reduction>(
                   {.blocks = 4})),
               std::invalid_argument);
}

TEST(execution, alone_is_refused_in_two_trips) {
  EXPECT_THROW((planned<counter_topology::gather_broadcast, 4, 2, 2, no_fences>({.blocks = 4})),
               std::invalid_argument);
}

enum class misuse { none, arrives_twice, waits_first, waits_twice, whole_in_between, of_one_warp };

template <class BarrierRef>
__global__ void use_badly(BarrierRef barrier, misuse how, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (how == misuse::waits_first) participant.wait(arrival_token{});
  const arrival_token mine = participant.arrive();
  if (how == misuse::arrives_twice) participant.arrive();
  if (how == misuse::whole_in_between) participant.wait();
  participant.wait(mine);
  if (how == misuse::waits_twice) participant.wait(mine);
  if constexpr (supports_overlap<typename BarrierRef::participant>)
    if (how == misuse::of_one_warp) participant.wait_overlapped([] {});
}

template <class Barrier>
std::string complaint_about(misuse how) {
  const launch_shape shape{.blocks = 3, .threads_per_block = 32};
  const Barrier barrier(shape);
  const watchdog timeout;
  try {
    launch_cooperative(use_badly<ref_of<Barrier>>, shape, barrier.ref(), how, timeout.ref());
    stream().synchronize();
  } catch (const std::logic_error& problem) {
    return problem.what();
  }
  return "";
}

TYPED_TEST(split_barriers, report_their_misuse) {
  EXPECT_EQ(complaint_about<TypeParam>(misuse::none), "");
  EXPECT_EQ(complaint_about<TypeParam>(misuse::arrives_twice),
            "barrier: a second arrival without a wait in between");
  EXPECT_EQ(complaint_about<TypeParam>(misuse::waits_first), "barrier: a wait without its arrival");
  EXPECT_EQ(complaint_about<TypeParam>(misuse::waits_twice), "barrier: a wait without its arrival");
  EXPECT_EQ(complaint_about<TypeParam>(misuse::whole_in_between),
            "barrier: a whole barrier between an arrival and its wait");
  if constexpr (supports_overlap<typename ref_of<TypeParam>::participant>) {
    EXPECT_EQ(complaint_about<TypeParam>(misuse::of_one_warp),
              "barrier: a block of one warp has none to work beside it");
  }
}

/// Block 0 joins and then never arrives.
template <class BarrierRef>
__global__ void wait_in_vain(BarrierRef barrier, form how, cell<std::uint32_t>* gave_up,
                             cell<std::uint32_t>* beats, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  if (blockIdx.x == 0) {
    // Changes memory constantly; otherwise the executor would report a livelock.
    if (threadIdx.x == 0)
      for (unsigned left = 1 << 14; left > 0; left -= watchdog.has_fired())
        atomic_ref<std::uint32_t, scope::device>(*beats).fetch_add(1, memory_order::relaxed);
    return;
  }
  bool ok = true;
  if constexpr (supports_split_phase<typename BarrierRef::participant>)
    if (how == form::split) ok = participant.wait(participant.arrive());
  if constexpr (supports_overlap<typename BarrierRef::participant>)
    if (how == form::fuzzy) ok = participant.wait_overlapped([] {});
  if (!ok) gave_up[blockIdx.x * blockDim.x + threadIdx.x] = 1u;
}

template <class Barrier>
void expect_given_up(form how) {
  const exchange_plan plan{.blocks = 6, .threads_per_block = 40};
  Barrier barrier(plan.shape());
  auto gave_up = buffer<std::uint32_t>::zeroed(plan.blocks * plan.threads_per_block);
  auto beats = buffer<std::uint32_t>::zeroed(1);
  const watchdog timeout(1'000'000);  // nominal ns
  launch_cooperative(wait_in_vain<ref_of<Barrier>>, plan.shape(), barrier.ref(), how,
                     gave_up.device_data(), beats.device_data(), timeout.ref());
  stream().synchronize();
  EXPECT_TRUE(timeout.fired());
  const auto threads = gave_up.to_host();
  EXPECT_EQ(std::count(threads.begin(), threads.end(), 1u),
            (plan.blocks - 1) * plan.threads_per_block);
  barrier.reset();
  EXPECT_TRUE(judge(plan, barrier).right());
}

TYPED_TEST(split_barriers, end_the_wait_for_a_block_that_never_comes) {
  expect_given_up<TypeParam>(form::split);
}

TYPED_TEST(fuzzy_barriers, end_the_wait_for_a_block_that_never_comes) {
  expect_given_up<TypeParam>(form::fuzzy);
}

}  // namespace
}  // namespace finesync::test::overlap_test
