// Every primitive that keeps all steps, over random schedules and weak memory.
#include "small.hpp"

#include <finesync/host/gpu.cuh>
#include <workloads/sgd/nested_makers.hpp>

#include <tests/on_gpu.hpp>
#include <tests/primitives.hpp>

#include <utility>
#include <variant>

namespace finesync::sgd {
namespace {

class experiments : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {};

INSTANTIATE_TEST_SUITE_P(nested, experiments,
                         ::testing::ValuesIn(workload::runnable(all_nested(), "hogwild")),
                         workload::name_of_primitive);

TEST_P(experiments, keep_every_step_on_any_schedule) {
  for (const run_config& config : {small(), crowded()})
    workload::expect_right_on_schedules(test::daily_or_whole(1u, 5u), simt::memory_kind::weak,
                                        [&] { return GetParam().make(config); });
}

TEST_P(experiments, keep_every_step_of_the_same_few_users) {
  workload::expect_right_on_schedules(test::seed_budget(4), simt::memory_kind::strong,
                                      [] { return GetParam().make(busy()); });
}

TEST_P(experiments, are_as_good_after_a_reset_with_any_number_of_features) {
  for (const unsigned features :
       test::daily_or_whole<std::vector<unsigned>>({16, 63}, {1, 16, 24, 63})) {
    run_config padded = small(100);
    padded.problem.features = features;
    padded.padded_locks = true;
    workload::expect_right(*GetParam().make(padded));
  }
}

TEST_P(experiments, learn_more_in_more_epochs) {
  run_config longer = small(500);
  longer.problem.epochs = 3;
  const auto rmse = [](const run_config& config) {
    const auto experiment = GetParam().make(config);
    EXPECT_TRUE(workload::ending(*experiment).ok());
    return experiment->measure().at("rmse");
  };
  EXPECT_LT(rmse(longer), rmse(small(500)));
}

TEST_P(experiments, notice_that_nobody_has_learned) {
  run_config much = small(10'000);  // so many ratings that their order does not matter
  const auto experiment = GetParam().make(much);
  experiment->reset();
  const bench::outcome ended = experiment->verify();
  EXPECT_EQ(ended.what, bench::status::wrong);
  EXPECT_EQ(ended.reason.substr(0, 12), "an error of ");
}

TEST_P(experiments, say_how_many_features_learn_and_how_many_a_vector_has) {
  using both = std::pair<long long, long long>;
  for (const auto& [features, padded] : {both{1, 16}, both{17, 32}, both{33, 64}, both{64, 64}}) {
    run_config few = small();
    few.problem.features = static_cast<unsigned>(features);
    const bench::parameters effective = GetParam().make(few)->effective_parameters();
    EXPECT_EQ(std::get<long long>(effective.at("features")), features);
    EXPECT_EQ(std::get<long long>(effective.at("padded_features")), padded);
  }
}

TEST_P(experiments, refuse_more_features_than_a_vector_has) {
  for (const unsigned features : {0u, 65u}) {
    run_config odd = small();
    odd.problem.features = features;
    EXPECT_THROW(GetParam().make(odd), bench::infeasible);
  }
}

TEST_P(experiments, are_right_with_longer_sections) {
  run_config longer = small();
  longer.section_work = 1;
  workload::expect_right(*GetParam().make(longer));
}

/// Hand-offs of contended locks are observed, but not with longer sections.
TEST_P(experiments, see_locks_change_hands) {
  run_config config = crowded();
  const auto seen = [&] {
    const auto experiment = GetParam().make(config);
    EXPECT_TRUE(workload::ending(*experiment).ok());
    return experiment->measure();
  };
  const bench::counters found = seen();
  const auto transfers = found.find("lock_transfers_per_operation");
  if (transfers == found.end()) GTEST_SKIP() << "it has no locks that are timed";
  EXPECT_GT(transfers->second, 0.05);
  EXPECT_LE(transfers->second, 2);
  config.section_work = 1;
  EXPECT_FALSE(seen().contains("lock_transfers_per_operation"));
}

TEST(server_edges_printed, lends_most_locks_with_many_servers) {
  simt::settings how = simt::current_settings();
  how.gpu = simt::find_gpu_model("gtx1080ti");
  const simt::scoped_settings scoped(how);
  run_config many = small(test::daily_or_whole(60u, 300u));
  many.servers_percent = 93;
  const auto experiment = make_server_edges_printed(many);
  EXPECT_TRUE(workload::ending(*experiment).ok());
  EXPECT_NEAR(experiment->measure().at("locks_lent_per_operation"), 25. / 26, 0.05);
}

TEST(server_edges_printed, has_two_servers_at_least) {
  run_config few = small();
  few.servers_percent = 1;
  const auto experiment = make_server_edges_printed(few);
  workload::expect_right(*experiment);
  EXPECT_EQ(std::get<long long>(experiment->effective_parameters().at("server_blocks")), 2);
  EXPECT_GT(experiment->measure().at("locks_lent_per_operation"), 0.2);
}

TEST(server_edges_printed, leaves_a_block_to_clients) {
  run_config many = small();
  many.servers_percent = 99;
  const auto experiment = make_server_edges_printed(many);
  workload::expect_right(*experiment);
  const bench::parameters effective = experiment->effective_parameters();
  EXPECT_EQ(std::get<long long>(effective.at("client_blocks")), 1);
  EXPECT_EQ(std::get<long long>(effective.at("blocks")), current_gpu().sms);
}

TEST(spin_in_order, may_have_blocks_for_a_few_sms_only) {
  run_config few = small();
  few.sms = 1;
  const auto experiment = make_spin_in_order(few);
  workload::expect_right(*experiment);
  EXPECT_EQ(std::get<long long>(experiment->effective_parameters().at("blocks")), 1);
}

TEST(hogwild, loses_steps_and_says_how_many) {
  const auto experiment = make_hogwild(small(2000));
  workload::expect_right(*experiment);
  const double lost = experiment->measure().at("lost_update_fraction");
  EXPECT_GT(lost, 0.01);
  EXPECT_LT(lost, 0.9);
}

TEST(latin_square, may_have_fewer_groups_than_there_are_sms) {
  run_config two = small();
  two.groups = 2;
  workload::expect_right(*make_latin_square(two));
  two.groups = 1;
  EXPECT_THROW(make_latin_square(two), bench::infeasible);
}

TEST(latin_square, takes_only_long_runs_or_only_short_ones) {
  for (const unsigned least : {1u, 1000u}) {
    run_config all_alike = small();
    all_alike.least_long = least;
    workload::expect_right(*make_latin_square(all_alike));
  }
}

TEST(latin_square, has_several_warps_at_one_movie) {
  workload::expect_right_on_schedules(test::seed_budget(5), simt::memory_kind::weak,
                                      [] { return make_latin_square(popular()); });
}

TEST(latin_square, learns_what_its_order_gives_where_nobody_is_in_the_way) {
  run_config alone = small(test::daily_or_whole(100u, 200u));
  alone.threads_per_block = 32;
  alone.least_long = 1;
  for (const unsigned features :
       test::daily_or_whole<std::vector<unsigned>>({6, 24, 63}, {1, 5, 6, 16, 24, 32, 63, 64})) {
    alone.problem.features = features;
    const auto experiment = make_latin_square(alone);
    workload::expect_right(*experiment);
    const bench::counters measured = experiment->measure();
    EXPECT_NEAR(measured.at("rmse"), measured.at("sequential_rmse"), 2e-6);
  }
}

TEST(latin_square, has_room_for_many_movies_in_few_groups) {
  EXPECT_TRUE(workload::ending(*make_latin_square(with_many_movies())).ok());
}

TEST(latin_square, sorts_where_a_block_has_little_shared_memory) {
  const simt::scoped_settings scoped(test::on_gpu("gtx1080ti"));
  EXPECT_TRUE(workload::ending(*make_latin_square(small())).ok());
}

TEST(latin_square, comes_again_to_pairs_that_are_repeated) {
  run_config repeating = small(0);
  repeating.problem.input = "rcv1-like/11000";
  repeating.least_long = 2;
  EXPECT_TRUE(workload::ending(*make_latin_square(repeating)).ok());
}

}  // namespace
}  // namespace finesync::sgd
