// Every way to keep all steps, over random schedules and weak memory.
#include "small.hpp"

#include <simt/settings.hpp>
#include <workloads/sgd/nested_makers.hpp>

#include <gtest/gtest.h>
#include <tests/contenders.hpp>
#include <tests/seed_budget.hpp>

namespace finesync::sgd {
namespace {

class experiments : public ::testing::TestWithParam<workload::contender<setup>> {};

INSTANTIATE_TEST_SUITE_P(nested, experiments,
                         ::testing::ValuesIn(workload::runnable(all_nested(), "hogwild")),
                         workload::name_of_contender);

TEST_P(experiments, keep_every_step_on_any_schedule) {
  for (unsigned seed = 0; seed < test::seed_budget(12); ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    for (const setup& how : {small(), crowded()}) {
      const bench::outcome ended = workload::ending(*GetParam().make(how));
      ASSERT_TRUE(ended.ok()) << "seed " << seed << ": " << ended.reason;
    }
  }
}

TEST_P(experiments, are_as_good_after_a_reset_with_any_number_of_features) {
  for (const unsigned features : {16, 32, 64}) {
    setup padded = small(100);
    padded.what.features = features;
    padded.padded_locks = true;
    workload::expect_right(*GetParam().make(padded));
  }
}

TEST_P(experiments, learn_more_in_more_epochs) {
  setup longer = small(1000);
  longer.what.epochs = 3;
  const auto experiment = GetParam().make(longer);
  workload::expect_right(*experiment);
  const double thrice = experiment->measure().at("rmse");
  const auto once = GetParam().make(small(1000));
  workload::expect_right(*once);
  EXPECT_LT(thrice, once->measure().at("rmse"));
}

TEST_P(experiments, notice_that_nobody_has_learned) {
  setup much = small(10'000);  // so much that the order does not matter
  const auto experiment = GetParam().make(much);
  experiment->reset();
  const bench::outcome ended = experiment->verify();
  EXPECT_EQ(ended.what, bench::status::wrong);
  EXPECT_EQ(ended.reason.substr(0, 12), "an error of ");
}

TEST_P(experiments, refuse_other_numbers_of_features) {
  setup odd = small();
  odd.what.features = 24;
  EXPECT_THROW(GetParam().make(odd), bench::infeasible);
}

TEST(hogwild, loses_steps_and_says_how_many) {
  const auto experiment = make_hogwild(small(2000));
  workload::expect_right(*experiment);
  const double lost = experiment->measure().at("share_lost");
  EXPECT_GT(lost, 0.01);
  EXPECT_LT(lost, 0.9);
}

TEST(bipartite_timetable, may_have_fewer_groups_than_there_are_sms) {
  setup two = small();
  two.groups = 2;
  workload::expect_right(*make_bipartite_timetable(two));
  two.groups = 1;
  EXPECT_THROW(make_bipartite_timetable(two), bench::infeasible);
}

TEST(bipartite_timetable, takes_only_long_runs_or_only_short_ones) {
  for (const unsigned least : {1u, 1000u}) {
    setup all_alike = small();
    all_alike.least_long = least;
    workload::expect_right(*make_bipartite_timetable(all_alike));
  }
}

TEST(bipartite_timetable, has_several_warps_at_one_movie) {
  for (unsigned seed = 0; seed < test::seed_budget(5); ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    const bench::outcome ended = workload::ending(*make_bipartite_timetable(popular()));
    ASSERT_TRUE(ended.ok()) << "seed " << seed << ": " << ended.reason;
  }
}

TEST(bipartite_timetable, learns_what_its_order_gives_where_nobody_is_in_the_way) {
  setup alone = small();
  alone.threads_per_block = 32;
  alone.least_long = 1;
  for (const unsigned features : {16, 32, 64}) {
    alone.what.features = features;
    const auto experiment = make_bipartite_timetable(alone);
    workload::expect_right(*experiment);
    const bench::counters measured = experiment->measure();
    EXPECT_NEAR(measured.at("rmse"), measured.at("sequential_rmse"), 2e-6);
  }
}

TEST(bipartite_timetable, comes_again_to_pairs_that_are_repeated) {
  setup repeating = small(0);
  repeating.what.input = "rcv1-like/11000";
  repeating.least_long = 2;
  workload::expect_right(*make_bipartite_timetable(repeating));
}

}  // namespace
}  // namespace finesync::sgd
