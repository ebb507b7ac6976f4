// Every primitive of the program, over random schedules and weak memory, and the requests that must
// be refused.
#include <finesync/host/error.cuh>
#include <simt/settings.hpp>
#include <workloads/barrier/barriers_makers.hpp>

#include <gtest/gtest.h>
#include <tests/contenders.hpp>

#include <new>
#include <string>
#include <string_view>

namespace finesync::barrier {
namespace {

class experiments : public ::testing::TestWithParam<workload::contender<setup>> {};

INSTANTIATE_TEST_SUITE_P(all, experiments, ::testing::ValuesIn(workload::runnable(all_barriers())),
                         workload::name_of_contender);

constexpr setup small{.threads_per_block = 33,
                      .blocks_per_sm = 2,
                      .rounds = 4,
                      .words_per_thread = 2,
                      .litmus = {.rounds = 4, .stores = 3}};

simt::settings weak(unsigned seed) {
  return simt::random_schedule(seed, simt::memory_kind::weak);
}

TEST_P(experiments, are_right_on_any_schedule) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const simt::scoped_settings scoped(weak(seed));
    const auto experiment = GetParam().make(small);
    for (int run = 0; run < 2; ++run) {
      const bench::outcome ended = workload::ending(*experiment);
      ASSERT_TRUE(ended.ok()) << "seed " << seed << ": " << ended.reason;
    }
  }
}

bool has_barrier_of_an_sm(std::string_view name) {
  return name.ends_with("_tree") || name == "sense_reversing";
}

TEST_P(experiments, exchange_among_the_blocks_of_an_sm_or_say_that_they_cannot) {
  setup local = small;
  local.local_exchange = true;
  if (!has_barrier_of_an_sm(GetParam().name)) {
    EXPECT_THROW(GetParam().make(local), bench::infeasible);
    return;
  }
  for (unsigned seed = 0; seed < 30; ++seed) {
    const simt::scoped_settings scoped(weak(seed));
    const auto experiment = GetParam().make(local);
    experiment->launch();
    const bench::outcome ended = experiment->verify();
    ASSERT_TRUE(ended.ok()) << "seed " << seed << ": " << ended.reason;
  }
}

TEST_P(experiments, are_right_in_blocks_of_any_size_and_number) {
  for (const auto& [threads, blocks] : {std::pair{1u, 3u}, {7u, 1u}, {64u, 8u}, {512u, 1u}}) {
    setup odd = small;
    odd.threads_per_block = threads;
    odd.blocks_per_sm = blocks;
    const auto experiment = GetParam().make(odd);
    experiment->launch();
    const bench::outcome ended = experiment->verify();
    EXPECT_TRUE(ended.ok()) << threads << " threads, " << blocks << " blocks: " << ended.reason;
  }
}

TEST_P(experiments, need_no_work_between_barriers) {
  setup idle = small;
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
  const bench::facts ran = experiment->ran();
  EXPECT_EQ(std::get<long long>(ran.at("blocks")), 8);
  EXPECT_EQ(std::get<long long>(ran.at("rounds")), 4);
  EXPECT_EQ(experiment->measure().count("rest_ns_per_operation"), 0u)
      << "the executor measures no time";
}

TEST(experiment, tells_the_plan_of_a_barrier_that_was_left_to_choose) {
  const bench::facts ran = make_adaptive(small)->ran();
  EXPECT_EQ(std::get<std::string>(ran.at("meeting")), "one_hop");
  EXPECT_EQ(std::get<long long>(ran.at("lines")), 1);
  EXPECT_GT(std::get<long long>(ran.at("first_poll_cycles")), 0);
}

TEST_P(experiments, refuse_a_grid_that_does_not_fit) {
  setup huge = small;
  huge.blocks_per_sm = 32;
  try {
    GetParam().make(huge);
    FAIL() << "was accepted";
  } catch (const launch_error& refusal) {
    const std::string words = refusal.what();
    EXPECT_TRUE(words.starts_with("a grid of 128 blocks of 33 threads")) << words;
    EXPECT_NE(words.find("cannot be co-resident: at most 32 "), std::string::npos) << words;
  }
}

TEST_P(experiments, refuse_words_that_do_not_fit) {
  setup huge = small;
  huge.words_per_thread = 1u << 31;
  EXPECT_THROW(GetParam().make(huge), std::bad_alloc);
}

TEST(plans, change_the_barrier_and_keep_it_right) {
  for (workload::make_experiment<setup>* make :
       {make_one_hop, make_gather_scatter, make_sm_groups}) {
    for (const unsigned amount : {1u, 3u, 16u}) {
      setup planned = small;
      planned.counters = {.lines = amount, .replicas = amount, .first_poll = 1};
      const simt::scoped_settings scoped(weak(amount));
      const auto experiment = make(planned);
      experiment->launch();
      const bench::outcome ended = experiment->verify();
      EXPECT_TRUE(ended.ok()) << amount << ": " << ended.reason;
    }
  }
}

bool runs(const workload::contender<setup>& who, const setup& how) {
  try {
    const auto experiment = who.make(how);
    for (int run = 0; run < 2; ++run) {
      const bench::outcome ended = workload::ending(*experiment);
      EXPECT_TRUE(ended.ok()) << ended.reason;
    }
    return true;
  } catch (const bench::infeasible&) {
    return false;
  }
}

setup overlapping(shape_of_barrier form, carried payload = carried::nothing) {
  setup how = small;
  how.words_per_thread = 0;
  how.form = form;
  how.payload = payload;
  how.work_cycles = 100;
  return how;
}

TEST(overlap, is_right_on_any_schedule_or_said_to_be_impossible) {
  for (const auto& who : workload::runnable(all_barriers())) {
    const std::string_view name = who.name;
    if (name == "cluster" || name == "graph_relaunch") continue;  // they have no such axis
    for (unsigned seed = 0; seed < 10; ++seed) {
      const simt::scoped_settings scoped(weak(seed));
      EXPECT_TRUE(runs(who, overlapping(shape_of_barrier::whole))) << name;
      EXPECT_EQ(runs(who, overlapping(shape_of_barrier::split)), !name.ends_with("_tree")) << name;
      EXPECT_EQ(runs(who, overlapping(shape_of_barrier::fuzzy)), name != "cooperative") << name;
    }
  }
}

TEST(payload, and_execution_alone_are_verified_or_said_to_be_impossible) {
  using enum shape_of_barrier;
  for (const auto& who : workload::runnable(all_barriers())) {
    const std::string_view name = who.name;
    if (name != "one_hop" && name != "gather_scatter" && name != "sm_groups") continue;
    for (const shape_of_barrier form : {whole, split, fuzzy}) {
      for (const carried what : {carried::nothing, carried::sum, carried::minimum, carried::any}) {
        const simt::scoped_settings scoped(weak(3));
        setup how = overlapping(form, what);
        EXPECT_EQ(runs(who, how), what == carried::nothing || name != "sm_groups");
        how.execution_only = true;
        EXPECT_EQ(runs(who, how), name == "one_hop" && what != carried::minimum);
      }
    }
  }
}

TEST(what_needs_cuda, says_so_elsewhere) {
  EXPECT_THROW(workload::needs_a_gpu(small), bench::infeasible);
}

TEST(clusters, are_as_large_as_asked_for_or_refused) {
  setup clustered = small;
  clustered.cluster_blocks = 2;
  const auto experiment = make_cluster(clustered);
  experiment->launch();
  EXPECT_TRUE(experiment->verify().ok());
  clustered.cluster_blocks = 8;  // on four SMs
  EXPECT_THROW(make_cluster(clustered), launch_error);
  simt::settings before_hopper;
  before_hopper.gpu = simt::find_gpu_model("rtx2080ti");
  const simt::scoped_settings scoped(before_hopper);
  EXPECT_THROW(make_cluster(small), launch_error);
}

}  // namespace
}  // namespace finesync::barrier
