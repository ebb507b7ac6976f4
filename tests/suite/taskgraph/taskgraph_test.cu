// The schedules of task graphs on the host executor: that they are right, and what their
// verification rejects.
#include <finesync/events/event_counts.cuh>
#include <finesync/events/event_words.cuh>
#include <workloads/taskgraph/graph_experiment.cuh>
#include <workloads/taskgraph/hazy_events.cuh>
#include <workloads/taskgraph/schedules_makers.hpp>

#include <tests/library/events/broken_events.hpp>
#include <tests/library/harness/harness.hpp>
#include <tests/primitives.hpp>

namespace finesync::taskgraph {

/// Each task arrives `Times` times: twice, or not at all.
template <unsigned Times>
struct arrives {
  template <class Right>
  struct event : Right {
    explicit event(const Right& right) : Right(right) {}
    __device__ void arrive() const {
      for (unsigned i = 0; i < Times; ++i) Right::arrive();
    }
  };
  using events = test::with_event<event_counts<>, event>;
};

namespace {

run_config small(unsigned payload_bytes = 0, unsigned threads = 32) {
  return {.graph = {.layers = 4, .tasks_per_layer = 6, .events_per_layer = 2, .most_inputs = 3},
          .payload_bytes = payload_bytes,
          .threads_per_block = threads,
          .rounds = 2};
}

class task_schedules : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {
 protected:
  static void expect_right(const run_config& config) {
    test::expect_right_in_any_memory(
        test::seed_budget(5), [&] { return workload::ending(*GetParam().make(config)).ok(); });
  }
};
INSTANTIATE_TEST_SUITE_P(, task_schedules,
                         ::testing::ValuesIn(workload::runnable(all_schedules(), "static_hazy")),
                         workload::name_of_primitive);

TEST_P(task_schedules, are_right_with_outputs_of_any_size) {
  expect_right(small());
  expect_right(small(40, 64));
  expect_right(small(600, 64));
}

TEST_P(task_schedules, are_right_on_any_graph) {
  for (const unsigned seed : {1u, 2u}) {
    expect_right({.graph = {.layers = 1, .tasks_per_layer = 3, .seed = seed},
                  .threads_per_block = 32,
                  .rounds = 2});
    expect_right({.graph = {.layers = 3,
                            .tasks_per_layer = 9,
                            .events_per_layer = 9,
                            .most_inputs = 2,
                            .uneven = true,
                            .seed = seed},
                  .task_ns = 3000,
                  .threads_per_block = 32,
                  .rounds = 2});
  }
}

// More than a warp has lanes, for all that wait for one event and for a block's share of the first.
TEST_P(task_schedules, are_right_with_wide_layers) {
  const auto one =
      GetParam().make({.graph = {.layers = 2, .tasks_per_layer = 300, .events_per_layer = 1},
                       .threads_per_block = 64,
                       .rounds = 1});
  EXPECT_TRUE(workload::ending(*one).ok());
}

TEST_P(task_schedules, leave_nothing_to_the_next_run) {
  workload::expect_nothing_left(
      *GetParam().make(small(40)),
      {{" (24 x unsigned int)", "verify() sets back what it lets a kernel find"}});
}

TEST_P(task_schedules, that_never_ran_are_rejected) {
  const auto experiment = GetParam().make(small());
  ASSERT_TRUE(workload::ending(*experiment).ok());  // whose result must go
  experiment->reset();
  EXPECT_FALSE(test::ends_right([&] { return experiment->verify().ok(); }));
}

TEST(taskgraph, that_cannot_be_is_infeasible) {
  run_config config = small();
  config.graph.events_per_layer = 7;
  EXPECT_THROW(make_static_counts(config), bench::infeasible);
  EXPECT_THROW(make_static_counts(small(0, 40)), bench::infeasible);
}

/// Words that are taken whatever round they are of, in the first replay alone: the last outputs do
/// not show it.
struct tags_dead_at_first : event_tags {
  __device__ static bool is_of(const message_128& m, std::uint32_t round) {
    return round == 1 || event_tags::is_of(m, round);
  }
};

template <class Outputs>
unsigned wrong(simt::memory_kind memory, unsigned seeds = 20) {
  return test::failing_twin_seeds(memory, seeds, [&] {
    static_schedule<Outputs> one(small());
    return workload::ending(one).ok();
  });
}

TEST(taskgraph, whose_tasks_start_early_is_rejected) {
  EXPECT_GT(wrong<announced_outputs<test::no_wait<event_counts<>>>>(test::strong), 0u);
  EXPECT_GT(wrong<outputs_in_words<event_words<test::dead_tags>>>(test::strong), 0u);
}
TEST(taskgraph, that_is_wrong_in_one_replay_is_rejected) {
  EXPECT_GT(wrong<outputs_in_words<event_words<tags_dead_at_first>>>(test::strong), 0u);
}
TEST(taskgraph, whose_arrivals_count_twice_is_rejected) {
  EXPECT_GT(wrong<announced_outputs<arrives<2>::events>>(test::strong), 0u);
}
TEST(taskgraph, that_skips_an_event_is_rejected) {
  EXPECT_GT(wrong<announced_outputs<arrives<0>::events>>(test::strong), 0u);
}
TEST(taskgraph, without_order_is_rejected_where_it_is_wrong) {
  EXPECT_GT(wrong<announced_outputs<hazy_events>>(test::weak, 200), 0u);
  EXPECT_GT(test::racing_seeds(5,
                               [] {
                                 static_schedule<announced_outputs<hazy_events>> one(small());
                                 return workload::ending(one).ok();
                               }),
            0u);
}
TEST(taskgraph, without_a_barrier_of_its_layers_is_rejected) {
  EXPECT_GT(test::failing_twin_seeds(test::strong, 20,
                                     [] {
                                       static_schedule<plain_outputs> one(small());
                                       return workload::ending(one).ok();
                                     }),
            0u);
}

}  // namespace
}  // namespace finesync::taskgraph
