// Sums with every barrier, over random schedules and weak memory; and with broken barriers, which
// the verification must reject.
#include <workloads/reduce/barrier_experiment.cuh>
#include <workloads/reduce/barriers.hpp>

#include <tests/rejection.hpp>
#include <tests/suite/barrier_program/breakable_barrier.cuh>

namespace finesync::reduce {
namespace {

run_config small(std::uint64_t words, barrier_form form = barrier_form::blocking) {
  return {.words = words, .rounds = 5, .threads_per_block = 64, .blocks_per_sm = 2, .form = form};
}

class sums : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {};
INSTANTIATE_TEST_SUITE_P(, sums, ::testing::ValuesIn(workload::runnable(all_barriers())),
                         workload::name_of_primitive);

TEST_P(sums, are_right_on_any_schedule) {
  for (unsigned seed = 0, number = 0; seed < test::seed_budget(20); ++seed)
    for (const std::uint64_t words : {1, 3, 4, 1000})
      for (const barrier_form form : {barrier_form::blocking, barrier_form::split_phase}) {
        if (!test::is_due(number++, 3)) continue;
        simt::settings settings = simt::random_schedule(
            seed, seed % 2 == 0 ? simt::memory_kind::weak : simt::memory_kind::strong);
        settings.gpu.sms = 2;
        if (seed % 2 != 0) settings.check = simt::checking::races;
        const simt::scoped_settings scoped(settings);
        try {
          workload::expect_right_once(*GetParam().make(small(words, form)), words, " words, seed ",
                                      seed);
        } catch (const bench::infeasible&) {
          ASSERT_EQ(form, barrier_form::split_phase);  // not every barrier has this form
        }
      }
}

TEST_P(sums, of_a_run_before_are_no_result) {
  const auto one = GetParam().make(small(1000));
  ASSERT_TRUE(workload::ending(*one).ok());
  one->reset();
  EXPECT_FALSE(one->verify().ok());
}

TEST_P(sums, leave_nothing_to_the_next_run) {
  workload::expect_nothing_left(*GetParam().make(small(1000)));
}

TEST(sums_of_blocks, of_incomplete_warps_are_refused) {
  run_config config = small(1000);
  config.threads_per_block = 48;
  for (const auto& each : workload::runnable(all_barriers()))
    EXPECT_THROW(each.make(config), bench::infeasible) << each.name;
}

using test::breakable_barrier;
using test::flaw;

template <flaw Flaw>
bool rejected(simt::memory_kind memory = simt::memory_kind::strong) {
  return test::is_rejected<barrier_experiment<breakable_barrier<Flaw>, barrier_form::blocking>>(
      20, small(1000), memory);
}

TEST(broken_sums, unbroken_pass) {
  EXPECT_FALSE(rejected<flaw::none>());
}
TEST(broken_sums, of_blocks_that_do_not_wait_are_rejected) {
  EXPECT_TRUE(rejected<flaw::never_waits>());
  EXPECT_TRUE(rejected<flaw::leaves_early>());
}
TEST(broken_sums, of_stale_shares_are_rejected) {
  EXPECT_TRUE(rejected<flaw::no_release>(simt::memory_kind::weak));
  EXPECT_TRUE(rejected<flaw::no_acquire>(simt::memory_kind::weak));
}

}  // namespace
}  // namespace finesync::reduce
