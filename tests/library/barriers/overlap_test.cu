// Split-phase barriers, overlapped barriers, reductions, and barriers that order only execution:
// over random schedules, and their misuse.
#include "exchange.hpp"

namespace finesync::test::overlap_test {
namespace {

const unsigned seeds = seed_budget(60);  // for each memory mode

/// Odd numbers of blocks, fewer than SMs and more; `threads` in turn.
exchange_config some_plan(std::initializer_list<unsigned> threads) {
  constexpr unsigned blocks[] = {5, 1, 2, 9, 6, 3};
  const auto seed = static_cast<unsigned>(simt::current_settings().seed);
  return {.blocks = blocks[seed % 6], .threads_per_block = threads.begin()[seed % threads.size()]};
}

template <class Run>
void expect_right(Run run, std::initializer_list<unsigned> threads, unsigned many = seeds) {
  const auto right = [&] { return run(some_plan(threads)).right(); };
  expect_right_in_any_memory(many, right);
}

template <class Barrier>
class split_barriers : public ::testing::Test {};
TYPED_TEST_SUITE(split_barriers, test_types_split_phase_barriers,
                 test_types_split_phase_barriers_names);

TYPED_TEST(split_barriers, hand_everything_over) {
  expect_right(run_split_exchange<TypeParam>, {1, 7, 32, 40, 64});
}

TYPED_TEST(split_barriers, hand_over_many_stores_right_before_the_arrival) {
  const auto right = [] {
    return run_split_exchange<TypeParam>({.blocks = 6, .threads_per_block = 20, .stores = 12})
        .right();
  };
  EXPECT_EQ(failing_seeds(weak, seed_budget(50), right), 0u);
}

TYPED_TEST(split_barriers, pass_a_full_small_gpu_many_times) {
  EXPECT_TRUE(run_split_exchange<TypeParam>(many_times_on_a_full_small_gpu).right());
}

template <class Barrier>
class fuzzy_barriers : public ::testing::Test {};
TYPED_TEST_SUITE(fuzzy_barriers, test_types_overlapped_barriers,
                 test_types_overlapped_barriers_names);

TYPED_TEST(fuzzy_barriers, let_no_block_run_two_rounds_ahead) {
  expect_right(run_fuzzy_exchange<TypeParam>, {33, 40, 64, 96});
}

TYPED_TEST(fuzzy_barriers, pass_a_full_small_gpu_many_times) {
  EXPECT_TRUE(run_fuzzy_exchange<TypeParam>(many_times_on_a_full_small_gpu).right());
}

template <class Barrier>
class barriers_of_execution : public ::testing::Test {};
TYPED_TEST_SUITE(barriers_of_execution, test_types_execution_barriers,
                 test_types_execution_barriers_names);

TYPED_TEST(barriers_of_execution, are_whole_barriers_between_fences_of_the_caller) {
  expect_right(run_fenced_exchange<TypeParam>, {1, 7, 32, 40, 64});
}

// The contract excludes this ordering.
TYPED_TEST(barriers_of_execution, hand_nothing_over) {
  const auto right = [] { return run_split_exchange<TypeParam>(some_plan({7})).nothing_wrong; };
  EXPECT_GT(failing_seeds(weak, 100, right), 0u);
}

template <class Barrier>
class barriers_that_carry : public ::testing::Test {};
TYPED_TEST_SUITE(barriers_that_carry, test_types_payload_barriers,
                 test_types_payload_barriers_names);

TYPED_TEST(barriers_that_carry, tell_all_what_all_have_brought) {
  const unsigned shapes = seed_budget(30);  // each number of blocks with each of threads
  for (const form how : {form::whole, form::split, form::fuzzy}) {
    const auto right = [&](const exchange_config& config) {
      return run_carried<TypeParam>(config, how);
    };
    if (how == form::fuzzy)
      expect_right(right, {33, 40, 64}, shapes);
    else
      expect_right(right, {1, 7, 32, 33, 64}, shapes);
  }
}

TYPED_TEST(barriers_that_carry, pass_a_full_small_gpu_many_times) {
  for (const form how : {form::whole, form::split, form::fuzzy})
    EXPECT_TRUE(run_carried<TypeParam>(many_times_on_a_full_small_gpu, how).right());
}

// The next launch finds what the last round has left, in the word of odd rounds.
TYPED_TEST(barriers_that_carry, begin_after_an_odd_number_of_rounds) {
  const auto right = [] {
    exchange_config config = some_plan({7});
    config.rounds = 3;
    config.launches = 3;
    return run_carried<TypeParam>(config, form::whole).right();
  };
  EXPECT_EQ(failing_seeds(strong, 12, right), 0u);
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
  auto wrong = zeroed(1);
  EXPECT_TRUE(
      ends(carry_much<ref_of<flat_counters_with<sum_reduction>>>, shape, barrier, 600, wrong));
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
  return refusal_of<std::logic_error>(
      [&] { ends(use_badly<ref_of<Barrier>>, shape, barrier, how); });
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

TYPED_TEST(split_barriers, end_the_wait_for_a_block_that_never_comes) {
  expect_given_up<TypeParam>(form::split);
}

TYPED_TEST(fuzzy_barriers, end_the_wait_for_a_block_that_never_comes) {
  expect_given_up<TypeParam>(form::fuzzy);
}

}  // namespace
}  // namespace finesync::test::overlap_test
