// The experiment with one lock: correct under every lock, wrong without exclusion, timed out if no
// thread acquires it, and its rejected configurations.
#include <workloads/mutex/cutlass_turn_lock.cuh>
#include <workloads/mutex/lock_experiment.cuh>
#include <workloads/mutex/locks_makers.hpp>

#include <tests/library/locks/no_lock.hpp>
#include <tests/on_gpu.hpp>
#include <tests/programs_on_gpus.hpp>

namespace finesync::mutex {
namespace {

class experiments : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {};

INSTANTIATE_TEST_SUITE_P(all, experiments, ::testing::ValuesIn(workload::runnable(all_locks())),
                         workload::name_of_primitive);

constexpr run_config small{
    .blocks_per_sm = 2, .threads_per_block = 33, .rounds = 5, .cluster_blocks = 1};

run_config with_words() {
  run_config config = small;
  config.ldst = 3;
  return config;
}
run_config empty() {
  run_config config = small;
  config.empty_section = true;
  return config;
}

/// On a few schedules, several runs each.
void expect_right(workload::make_experiment<run_config>* make, const run_config& config) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed, simt::memory_kind::weak));
    const auto experiment = make(config);
    for (int run = 0; run < 2; ++run) {
      experiment->reset();
      EXPECT_FALSE(experiment->verify().ok());
      experiment->launch();
      const bench::outcome ended = experiment->verify();
      ASSERT_TRUE(ended.ok()) << "seed " << seed << ": " << ended.reason;
    }
  }
}

TEST_P(experiments, count_every_section) {
  expect_right(GetParam().make, small);
}

TEST_P(experiments, of_whole_blocks_count_in_every_word) {
  if (std::string(GetParam().name) == "value_passing") {
    EXPECT_THROW(GetParam().make(with_words()), bench::infeasible);
  } else {
    expect_right(GetParam().make, with_words());
  }
}

TEST_P(experiments, may_be_for_nothing) {
  expect_right(GetParam().make, empty());
}

TEST_P(experiments, wait_without_backoff_where_they_can) {
  run_config config = small;
  config.backoff = false;
  expect_right(GetParam().make, config);
}

TEST_P(experiments, refuse_a_grid_that_does_not_fit) {
  run_config huge = small;
  huge.blocks_per_sm = 32;
  EXPECT_THROW(GetParam().make(huge), launch_error);
}

TEST(experiment, for_what_is_no_lock_is_wrong) {
  for (run_config config : {small, with_words()}) {
    config.rounds = 40;
    unsigned wrong = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
      const simt::scoped_settings scoped(simt::random_schedule(seed));
      const auto experiment = experiment_at<test::no_lock>(config);
      experiment->launch();
      if (!experiment->verify().ok()) ++wrong;
    }
    EXPECT_GE(wrong, 18u);  // on one schedule in a hundred no two blocks overlap
  }
}

template <class Lock>
unsigned wrong_in_weak_memory() {
  return workload::failing_runs(simt::memory_kind::weak,
                                [] { return experiment_at<Lock>(with_words()); });
}

TEST(turns, that_lack_an_order_are_rejected) {
  using enum memory_order;
  EXPECT_EQ((wrong_in_weak_memory<cutlass_turn_lock<acquire, release>>()), 0u);
  EXPECT_GT((wrong_in_weak_memory<cutlass_turn_lock<relaxed, release>>()), 0u);
  EXPECT_GT((wrong_in_weak_memory<cutlass_turn_lock<acquire, relaxed>>()), 0u);
}

/// Passes the turn on beyond the last block.
class turns_that_do_not_come_round : public cutlass_turn_lock<> {
 public:
  explicit turns_that_do_not_come_round(state& s) : cutlass_turn_lock(s), turn_(s.turn) {}
  void leave(acquisition&) { turn_.fetch_add(1, memory_order::release); }

 private:
  atomic_ref<std::uint32_t, scope::device> turn_;
};

TEST(turns, that_do_not_come_round_are_rejected) {
  const auto experiment = experiment_at<turns_that_do_not_come_round>(with_words());
  EXPECT_THROW(experiment->launch(), hang_error);
}

TEST(experiment, for_what_is_no_lock_is_wrong_with_empty_sections_too) {
  run_config config = empty();
  config.rounds = 40;
  unsigned wrong = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    const auto experiment = experiment_at<test::no_lock>(config);
    wrong += !workload::ending(*experiment).ok();
  }
  EXPECT_GE(wrong, 18u);
}

TEST(experiment, says_that_empty_sections_do_not_show_exclusion) {
  EXPECT_NE(make_spin(empty())->unverified(), "");
  EXPECT_EQ(make_spin(small)->unverified(), "");
}

/// Never acquired by any thread.
class closed : public test::no_lock {
 public:
  explicit closed(state& s) : no_lock(s), held_(s.held) {}
  bool try_enter(acquisition&) { return held_.fetch_add(1, memory_order::relaxed) == ~0u; }

 private:
  atomic_ref<std::uint32_t, scope::device> held_;
};

TEST(experiment, is_given_up_when_nobody_gets_in) {
  run_config config = with_words();
  config.blocks_per_sm = 1;
  const auto experiment = experiment_at<closed>(config);
  experiment->launch();
  const bench::outcome ended = experiment->verify();
  EXPECT_TRUE(ended.what == bench::status::timeout) << ended.reason;
  EXPECT_EQ(std::get<std::string>(ended.details.at("waited_for")), "lock");
  EXPECT_TRUE(std::get<bool>(ended.details.at("hung")));
  EXPECT_EQ(std::get<long long>(ended.details.at("operations_done")), 0);
}

TEST(experiment, knows_what_it_cannot_be) {
  run_config odd = with_words();
  odd.empty_section = true;
  EXPECT_THROW(make_array(odd), bench::infeasible);
  odd = small;
  odd.cluster_blocks = 8;  // on four SMs
  EXPECT_THROW(make_cohort(odd), launch_error);
  EXPECT_THROW(workload::needs_a_gpu(small), bench::infeasible);
}

TEST(experiment, of_cohorts_runs_in_clusters) {
  for (const unsigned cluster_blocks : {2u, 4u}) {
    run_config clustered = small;
    clustered.cluster_blocks = cluster_blocks;
    const auto experiment = make_cohort(clustered);
    experiment->launch();
    const bench::outcome ended = experiment->verify();
    EXPECT_TRUE(ended.ok()) << ended.reason;
  }
}

TEST(experiment, of_cohorts_has_the_largest_clusters_that_fit) {
  run_config open = small;
  open.cluster_blocks = 0;
  const auto clusters_on = [&](const char* gpu) {
    const simt::scoped_settings scoped(test::on_gpu(gpu));
    const bench::parameters effective = make_cohort(open)->effective_parameters();
    const auto found = effective.find("cluster_blocks");
    return found == effective.end() ? 1 : std::get<long long>(found->second);
  };
  EXPECT_EQ(clusters_on("h200"), 8);
  EXPECT_EQ(clusters_on("small"), 4);
  EXPECT_EQ(clusters_on("gtx1080ti"), 1);
  workload::expect_right(*make_cohort(open));
}

TEST(experiment, tells_what_ran) {
  run_config config = small;
  config.backoff = false;
  EXPECT_EQ(
      make_array(config)->effective_parameters(),
      (bench::parameters{{"blocks", 8LL},
                         {"threads_per_block", static_cast<long long>(small.threads_per_block)},
                         {"slots", 8192LL},
                         {"backoff_max_ns", 0LL}}));
  const bench::parameters waiting = make_array(small)->effective_parameters();
  EXPECT_EQ(std::get<long long>(waiting.at("backoff_ns_per_waiter")), 100);
  EXPECT_EQ(std::get<long long>(waiting.at("backoff_max_ns")), 1'000'000);
  EXPECT_EQ(make_array(small)->operations(), 40);
}

}  // namespace
}  // namespace finesync::mutex
