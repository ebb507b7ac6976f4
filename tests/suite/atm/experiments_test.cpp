// Every primitive for transfers, over random schedules and weak memory.
#include <workloads/atm/nested_makers.hpp>

#include <tests/on_gpu.hpp>
#include <tests/primitives.hpp>

#include <variant>

namespace finesync::atm {
namespace {

class experiments : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {
 protected:
  static void expect_right_on_any_schedule(unsigned seeds, const run_config& config) {
    workload::expect_right_on_schedules(test::seed_budget(seeds), simt::memory_kind::weak,
                                        [&] { return GetParam().make(config); });
  }
};

INSTANTIATE_TEST_SUITE_P(nested, experiments, ::testing::ValuesIn(workload::runnable(all_nested())),
                         workload::name_of_primitive);

constexpr run_config small{.problem = {.accounts = 8, .transfers = 300},
                           .threads_per_block = 36,  // a full warp and a part of one
                           .batch = 130,
                           .groups = 4};

TEST_P(experiments, are_serial_on_any_schedule) {
  expect_right_on_any_schedule(10, small);
}

TEST_P(experiments, are_serial_where_all_want_the_same_account) {
  run_config skewed = small;
  skewed.problem.skew = 0.99;
  skewed.batch = 300;
  skewed.groups = 2;
  expect_right_on_any_schedule(10, skewed);
}

TEST_P(experiments, are_as_good_after_a_reset_at_every_skew) {
  for (const double skew : test::daily_or_whole<std::vector<double>>({0.8}, {0.0, 0.8, 0.9, 3.0})) {
    run_config padded = small;
    padded.problem.skew = skew;
    padded.padded_accounts = true;
    workload::expect_right(*GetParam().make(padded));
  }
}

TEST(groups, that_are_left_open_are_as_many_as_fit) {
  run_config open = small;
  open.problem.accounts = 256;
  open.groups = 0;
  const auto pairs_on = [&](const char* gpu) {
    const simt::scoped_settings scoped(test::on_gpu(gpu));
    const auto experiment = make_conflict_free_groups(open);
    return std::get<long long>(experiment->effective_parameters().at("pairs_per_round"));
  };
  EXPECT_EQ(pairs_on("h200"), 32);
  EXPECT_EQ(pairs_on("small"), 4);
  workload::expect_right(*make_conflict_free_groups(open));
}

TEST_P(experiments, manage_with_two_accounts) {
  run_config two = small;
  two.problem.accounts = 2;
  workload::expect_right(*GetParam().make(two));
}

TEST_P(experiments, notice_transfers_that_nobody_made) {
  const auto experiment = GetParam().make(small);
  experiment->reset();
  const bench::outcome ended = experiment->verify();
  EXPECT_EQ(ended.what, bench::status::wrong);
  EXPECT_EQ(ended.reason.substr(0, 33), "0 of 300 transfers are decided, 0");
}

TEST_P(experiments, notice_transfers_that_were_made_twice) {
  const auto experiment = GetParam().make(small);
  experiment->reset();
  experiment->launch();
  experiment->launch();
  EXPECT_EQ(experiment->verify().what, bench::status::wrong);
}

TEST_P(experiments, are_right_with_longer_sections) {
  run_config longer = small;
  longer.section_work = 1;
  workload::expect_right(*GetParam().make(longer));
}

/// Handoffs of contended accounts are observed.
TEST_P(experiments, see_locks_change_hands) {
  run_config crowded = small;
  crowded.problem.accounts = 2;
  const auto seen = GetParam().make(crowded)->measure();
  const auto transfers = seen.find("lock_transfers_per_operation");
  if (transfers == seen.end()) GTEST_SKIP() << "it has no locks that are timed";
  EXPECT_GT(transfers->second, 0.05);
  EXPECT_LE(transfers->second, 2);
}

TEST_P(experiments, leave_a_block_to_clients) {
  run_config many = small;
  many.servers_percent = 99;
  const auto experiment = GetParam().make(many);
  workload::expect_right(*experiment);
  const bench::parameters effective = experiment->effective_parameters();
  const auto blocks = [&](const char* of) { return std::get<long long>(effective.at(of)); };
  if (!effective.contains("client_blocks")) GTEST_SKIP() << "it has no clients";
  EXPECT_EQ(blocks("server_blocks") + blocks("client_blocks"), blocks("blocks"));
}

/// The primitives whose blocks share all transfers.
std::vector<workload::catalogue_entry<run_config>> on_any_grid() {
  auto found = workload::runnable(all_nested());
  std::erase_if(found, [](const auto& one) {
    return std::find(one.axes.begin(), one.axes.end(), "sms") == one.axes.end();
  });
  return found;
}

class few_sms : public experiments {};

INSTANTIATE_TEST_SUITE_P(nested, few_sms, ::testing::ValuesIn(on_any_grid()),
                         workload::name_of_primitive);

TEST_P(few_sms, may_be_those_that_a_grid_has_blocks_for) {
  run_config few = small;
  few.sms = 3;  // of 4
  const auto experiment = GetParam().make(few);
  EXPECT_EQ(std::get<long long>(experiment->effective_parameters().at("blocks")), 3);
  workload::expect_right(*experiment);
}

/// Servers that lend locks say how many.
TEST_P(experiments, see_locks_lent) {
  simt::settings how = simt::current_settings();
  how.gpu = simt::find_gpu_model("gtx1080ti");
  const simt::scoped_settings scoped(how);
  run_config many = small;
  many.problem = {.accounts = 256, .transfers = test::daily_or_whole(400u, 1000u)};
  many.servers_percent = 93;
  for (const bool empty : {false, true}) {
    many.empty_sections = empty;
    const auto seen = GetParam().make(many)->measure();
    const auto lent = seen.find("locks_lent_per_operation");
    if (lent == seen.end()) GTEST_SKIP() << "it lends no locks that are counted";
    EXPECT_NEAR(lent->second, 25. / 26, 0.05);
  }
}

/// The primitives with optional empty sections.
std::vector<workload::catalogue_entry<run_config>> with_empty_sections() {
  auto found = workload::runnable(all_nested());
  std::erase_if(found, [](const auto& one) {
    return std::find(one.axes.begin(), one.axes.end(), "section") == one.axes.end();
  });
  return found;
}

class empty_sections_of : public experiments {};

INSTANTIATE_TEST_SUITE_P(nested, empty_sections_of, ::testing::ValuesIn(with_empty_sections()),
                         workload::name_of_primitive);

TEST_P(empty_sections_of, run_once_each_on_any_schedule) {
  run_config empty = small;
  empty.empty_sections = true;
  expect_right_on_any_schedule(5, empty);
  const auto experiment = GetParam().make(empty);
  experiment->reset();
  EXPECT_EQ(experiment->verify().reason, "0 of 300 sections ran");
}

}  // namespace
}  // namespace finesync::atm
