// Every primitive of the program, over random schedules and weak memory, and the configurations
// that it must reject.
#include <workloads/barrier/barriers_makers.hpp>

#include <tests/on_gpu.hpp>
#include <tests/primitives.hpp>
#include <tests/refusal.hpp>

#include <new>

namespace finesync::barrier {
namespace {

class experiments : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {};

INSTANTIATE_TEST_SUITE_P(all, experiments, ::testing::ValuesIn(workload::runnable(all_barriers())),
                         workload::name_of_primitive);

constexpr run_config small{.threads_per_block = 33,
                           .blocks_per_sm = 2,
                           .rounds = 4,
                           .words_per_thread = 2,
                           .litmus = {.rounds = 4, .stores = 3}};

simt::settings weak(unsigned seed) {
  return simt::random_schedule(seed, simt::memory_kind::weak);
}

TEST_P(experiments, are_right_on_any_schedule) {
  for (unsigned seed = 0; seed < test::seed_budget(30); ++seed) {
    const simt::scoped_settings scoped(weak(seed));
    const auto experiment = GetParam().make(small);
    for (int run = 0; run < 2; ++run) {
      workload::expect_right_once(*experiment, "seed ", seed);
    }
  }
}

bool has_barrier_of_an_sm(std::string_view name) {
  return name.find("_tree") != name.npos || name.starts_with("sense_reversing");
}

TEST_P(experiments, exchange_among_the_blocks_of_an_sm_or_say_that_they_cannot) {
  run_config local = small;
  local.local_exchange = true;
  if (!has_barrier_of_an_sm(GetParam().name)) {
    EXPECT_THROW(GetParam().make(local), bench::infeasible);
    return;
  }
  workload::expect_right_on_schedules(test::seed_budget(30), simt::memory_kind::weak,
                                      [&] { return GetParam().make(local); });
}

TEST_P(experiments, are_right_in_blocks_of_any_size_and_number) {
  for (const auto& [threads, blocks] : {std::pair{1u, 3u}, {7u, 1u}, {64u, 8u}, {512u, 1u}}) {
    run_config odd = small;
    odd.threads_per_block = threads;
    odd.blocks_per_sm = blocks;
    const auto experiment = GetParam().make(odd);
    experiment->launch();
    const bench::outcome ended = experiment->verify();
    EXPECT_TRUE(ended.ok()) << threads << " threads, " << blocks << " blocks: " << ended.reason;
  }
}

TEST_P(experiments, leave_nothing_to_the_next_run) {
  workload::expect_nothing_left(*GetParam().make(small),
                                {{" (2048 x unsigned int)", "a litmus test sets back its words"}});
}

TEST_P(experiments, need_no_work_between_barriers) {
  run_config idle = small;
  idle.words_per_thread = 0;
  const auto experiment = GetParam().make(idle);
  experiment->launch();
  EXPECT_TRUE(experiment->verify().ok());
}

TEST_P(experiments, notice_a_run_without_reset) {
  const auto experiment = GetParam().make(small);
  experiment->launch();
  experiment->launch();
  EXPECT_FALSE(experiment->verify().ok());
}

TEST_P(experiments, tell_what_ran) {
  const auto experiment = GetParam().make(small);
  const bench::parameters effective = experiment->effective_parameters();
  EXPECT_EQ(std::get<long long>(effective.at("blocks")), 8);
  EXPECT_EQ(std::get<long long>(effective.at("rounds")), 4);
  EXPECT_EQ(experiment->measure().count("unsynchronized_ns_per_operation"), 0u)
      << "the executor measures no time";
}

TEST_P(experiments, take_the_blocks_of_fewer_sms) {
  run_config few = small;
  few.sms = 2;
  const auto experiment = GetParam().make(few);
  EXPECT_EQ(std::get<long long>(experiment->effective_parameters().at("blocks")), 4);
  EXPECT_TRUE(workload::ending(*experiment).ok());
}

TEST(experiment, tells_the_plan_of_a_barrier_that_was_left_to_choose) {
  const bench::parameters effective = make_autotuned(small)->effective_parameters();
  EXPECT_EQ(std::get<std::string>(effective.at("topology")), "flat_counters");
  EXPECT_EQ(std::get<long long>(effective.at("counters")), 1);
  EXPECT_GT(std::get<long long>(effective.at("first_poll_cycles")), 0);
  EXPECT_EQ(std::get<std::string>(effective.at("plan_table")), "nvidia-h100");
}

TEST(experiment, takes_its_plan_from_the_table_that_it_is_given) {
  static constexpr measured_plan only[] = {
      {1, 64, {.how = counter_topology::gather_broadcast, .counters = 3, .first_poll = 1}}};
  for (const barrier_form form : {barrier_form::blocking, barrier_form::overlapped}) {
    run_config config = small;
    config.words_per_thread = 0;
    config.form = form;
    config.plans = {"mine", only};
    const auto experiment = make_autotuned(config);
    const bench::parameters effective = experiment->effective_parameters();
    EXPECT_EQ(std::get<std::string>(effective.at("plan_table")), "mine");
    EXPECT_EQ(std::get<std::string>(effective.at("topology")), "gather_broadcast");
    EXPECT_EQ(std::get<long long>(effective.at("counters")), 3);
    EXPECT_TRUE(workload::ending(*experiment).ok());
  }
}

TEST_P(experiments, refuse_a_grid_that_does_not_fit) {
  run_config huge = small;
  huge.blocks_per_sm = 32;
  const std::string words = test::refusal_of<launch_error>([&] { GetParam().make(huge); });
  EXPECT_TRUE(words.starts_with("a grid of 128 blocks of 33 threads")) << words;
  EXPECT_NE(words.find("cannot be co-resident: at most 32 "), std::string::npos) << words;
}

TEST_P(experiments, refuse_words_that_do_not_fit) {
  run_config huge = small;
  huge.words_per_thread = 1u << 31;
  EXPECT_THROW(GetParam().make(huge), std::bad_alloc);
}

TEST(plans, change_the_barrier_and_keep_it_right) {
  for (workload::make_experiment<run_config>* make :
       {make_flat_counters, make_gather_broadcast, make_sm_counters}) {
    for (const unsigned amount : {1u, 3u, 16u}) {
      run_config planned = small;
      planned.counters = {.number = amount, .replicas = amount, .first_poll = 1};
      const simt::scoped_settings scoped(weak(amount));
      const auto experiment = make(planned);
      experiment->launch();
      const bench::outcome ended = experiment->verify();
      EXPECT_TRUE(ended.ok()) << amount << ": " << ended.reason;
    }
  }
}

bool runs(const workload::catalogue_entry<run_config>& who, const run_config& config) {
  try {
    const auto experiment = who.make(config);
    for (int run = 0; run < 2; ++run) {
      workload::expect_right_once(*experiment);
    }
    return true;
  } catch (const bench::infeasible&) {
    return false;
  }
}

run_config overlapping(barrier_form form, reduction_kind reduction = reduction_kind::nothing) {
  run_config config = small;
  config.words_per_thread = 0;
  config.form = form;
  config.reduction = reduction;
  config.work_cycles = 100;
  return config;
}

TEST(overlap, is_right_on_any_schedule_or_said_to_be_impossible) {
  for (const auto& who : workload::runnable(all_barriers())) {
    const std::string_view name = who.name;
    if (name == "cluster" || name == "graph_relaunch" || name == "dependent_launch" ||
        name.ends_with("_printed"))
      continue;  // they have no such axis
    for (unsigned seed = 0; seed < test::seed_budget(10); ++seed) {
      const simt::scoped_settings scoped(weak(seed));
      EXPECT_TRUE(runs(who, overlapping(barrier_form::blocking))) << name;
      EXPECT_EQ(runs(who, overlapping(barrier_form::split_phase)), !name.ends_with("_tree"))
          << name;
      EXPECT_EQ(runs(who, overlapping(barrier_form::overlapped)), name != "cooperative_groups")
          << name;
    }
  }
}

TEST(payload, and_execution_alone_are_verified_or_said_to_be_impossible) {
  using enum barrier_form;
  for (const auto& who : workload::runnable(all_barriers())) {
    const std::string_view name = who.name;
    if (name != "flat_counters" && name != "gather_broadcast" && name != "sm_counters") continue;
    for (const barrier_form form : {blocking, split_phase, overlapped}) {
      for (const reduction_kind what : {reduction_kind::nothing, reduction_kind::sum,
                                        reduction_kind::minimum, reduction_kind::any}) {
        const simt::scoped_settings scoped(weak(3));
        run_config config = overlapping(form, what);
        EXPECT_EQ(runs(who, config), what == reduction_kind::nothing || name != "sm_counters");
        config.execution_only = true;
        EXPECT_EQ(runs(who, config), name == "flat_counters" && what != reduction_kind::minimum);
      }
    }
  }
}

TEST(what_needs_cuda, says_so_elsewhere) {
  EXPECT_THROW(workload::needs_a_gpu(small), bench::infeasible);
}

std::string refusal_of_clusters(const run_config& config) {
  return test::refusal_of<launch_error>([&] { make_cluster(config); });
}

TEST(clusters, are_as_large_as_asked_for_or_refused) {
  run_config clustered = small;
  clustered.cluster_blocks = 2;
  const auto experiment = make_cluster(clustered);
  experiment->launch();
  EXPECT_TRUE(experiment->verify().ok());
  clustered.cluster_blocks = 8;  // on four SMs
  EXPECT_EQ(refusal_of_clusters(clustered),
            "clusters of 8 blocks: not even one fits on host executor (small)");
  const simt::scoped_settings before_hopper(test::on_gpu("rtx2080ti"));
  EXPECT_EQ(refusal_of_clusters(small),
            "clusters of 2 blocks: this machine has no clusters, which need compute capability "
            "9.0 or later");
}

}  // namespace
}  // namespace finesync::barrier
