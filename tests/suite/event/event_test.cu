// The event program on the host executor, which has no nanoseconds: what it hands over, and what
// its verification rejects.
#include <finesync/events/event_counts.cuh>
#include <finesync/events/event_words.cuh>
#include <workloads/event/event_experiment.cuh>
#include <workloads/event/events_makers.hpp>
#include <workloads/event/waiting_times.hpp>

#include <tests/library/events/broken_events.hpp>
#include <tests/library/harness/harness.hpp>
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
  return test::failing_twin_seeds(test::strong, 20, [&] {
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

// Times of hand-offs from the notes of their blocks.

TEST(waiting_times, are_from_the_last_arrival_to_the_last_waiter) {
  constexpr unsigned rounds = 30;
  std::vector<times_of_round> times(3 * rounds);
  for (unsigned round = 0; round < rounds; ++round) {
    const std::uint32_t begin = 0xffffff00u + round * 1000;  // wraps around
    times[round] = {.arrived = begin + 50, .waited = begin + 700, .had_read = begin + 710};
    times[rounds + round] = {.arrived = begin, .waited = begin + 900, .had_read = begin + 930};
    times[2 * rounds + round] = {.arrived = 0, .waited = begin + 850, .had_read = begin + 1050};
  }
  const crowd who{.producers = 2, .first_consumer = 1, .consumers = 2};
  const bench::counters found = waiting_times(times, who, rounds);
  EXPECT_DOUBLE_EQ(found.at("last_waiter_ns"), 850);
  EXPECT_DOUBLE_EQ(found.at("mean_waiter_ns"), 825);
  EXPECT_DOUBLE_EQ(found.at("last_reader_ns"), 1000);
}

TEST(waiting_times, may_be_of_one_producer_that_consumes) {
  constexpr unsigned rounds = 21;
  std::vector<times_of_round> times(rounds, {.arrived = 100, .waited = 400, .had_read = 500});
  const bench::counters found = waiting_times(times, {1, 0, 1}, rounds);
  EXPECT_DOUBLE_EQ(found.at("last_waiter_ns"), 300);
}

TEST(waiting_times, that_cannot_be_are_refused) {
  constexpr unsigned rounds = 21;
  const crowd who{1, 0, 1};
  for (const times_of_round& wrong : std::vector<times_of_round>{
           {9'000, 1'000, 10'000}, {1'000, 9'000, 2'000}, {1'000, 9'000, ~0u / 2}}) {
    std::vector<times_of_round> times(rounds, {.arrived = 100, .waited = 400, .had_read = 500});
    times.back() = wrong;
    EXPECT_THROW(waiting_times(times, who, rounds), bench::failed_run) << wrong.arrived;
  }
}

}  // namespace
}  // namespace finesync::hand_off
