// The event program on the host executor, which has no nanoseconds: what it hands over, and what
// its verification rejects.
#include <finesync/events/event_counts.cuh>
#include <finesync/events/event_words.cuh>
#include <workloads/event/event_experiment.cuh>
#include <workloads/event/events_makers.hpp>

#include <gtest/gtest.h>
#include <tests/library/events/broken_events.hpp>
#include <tests/library/locks/exploration.hpp>
#include <tests/primitives.hpp>

namespace finesync::hand_off {
namespace {

class hand_offs : public ::testing::TestWithParam<workload::catalogue_entry<run_config>> {
 protected:
  static void expect_right(const run_config& config) {
    test::expect_right_in_any_memory(
        test::seed_budget(5), [&] { return workload::ending(*GetParam().make(config)).ok(); });
  }
};
INSTANTIATE_TEST_SUITE_P(, hand_offs, ::testing::ValuesIn(workload::runnable(all_events())),
                         workload::name_of_primitive);

TEST_P(hand_offs, from_one_to_one_are_right) {
  for (const unsigned bytes : {4u, 128u, 1000u})
    expect_right({.payload_bytes = bytes, .threads_per_block = 40, .rounds = 3});
  expect_right({.payload_bytes = 500, .threads_per_block = 8, .rounds = 3, .whole_block = true});
}

TEST_P(hand_offs, of_many_are_right) {
  for (const unsigned producers : {0u, 1u, 2u})
    for (const unsigned consumers : {0u, 1u})
      expect_right({.producers = producers,
                    .consumers = consumers,
                    .payload_bytes = 100,
                    .threads_per_block = 34,
                    .rounds = 3});
}

TEST_P(hand_offs, leave_nothing_to_the_next_run) {
  for (const unsigned crowd : {1u, 0u})
    workload::expect_nothing_left(*GetParam().make({.producers = crowd,
                                                    .consumers = crowd,
                                                    .payload_bytes = 100,
                                                    .threads_per_block = 34,
                                                    .rounds = 3}),
                                  {{" (4 x unsigned int)", "the blocks, in another order"}});
}

TEST(event, needs_an_sm_for_each_block) {
  const auto sms = static_cast<unsigned>(current_gpu().sms);
  EXPECT_NO_THROW(make_event_counts({.producers = sms}));
  EXPECT_THROW(make_event_counts({.producers = sms + 1}), bench::infeasible);
  EXPECT_THROW(make_event_counts({.consumers = sms + 1}), bench::infeasible);
}

TEST(event, that_never_ran_is_rejected) {
  const auto experiment = make_event_counts({.rounds = 2});
  ASSERT_TRUE(workload::ending(*experiment).ok());  // whose result must go
  experiment->reset();
  EXPECT_EQ(experiment->verify().what, bench::status::wrong);
}

template <class Events>
unsigned wrong(const run_config& config) {
  return test::failing_twin_seeds(simt::memory_kind::strong, 20, [&] {
    event_experiment<payload_of<Events>> one(config);
    return workload::ending(one).ok();
  });
}

TEST(event, that_nobody_waits_for_is_rejected) {
  for (const unsigned consumers : {0u, 1u}) {
    const run_config config{.consumers = consumers, .threads_per_block = 40, .rounds = 4};
    EXPECT_GT(wrong<test::no_wait<event_counts<>>>(config), 0u);
    EXPECT_GT(wrong<event_words<test::dead_tags>>(config), 0u);
  }
}

}  // namespace
}  // namespace finesync::hand_off
