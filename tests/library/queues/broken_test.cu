// Broken queues. The checks of the right ones must reject each.
#include "broken_queues.hpp"
#include "carry.cuh"

#include <tests/library/harness/harness.hpp>

namespace finesync::test::broken_test {
namespace {

constexpr unsigned seeds = 100;
constexpr std::uint64_t soon = 3'000'000;  // nominal ns: some variants leave others waiting

template <class Queue>
unsigned failing(queue_load load, unsigned tried = seeds) {
  load.watchdog_ns = soon;
  return failing_twin_seeds(strong, tried, [&] { return arrives<Queue>(load); });
}

constexpr queue_load small{.producers = 2, .consumers = 2, .rounds = 2, .capacity = 8};
constexpr queue_load least{.producers = 1, .consumers = 2, .rounds = 2, .capacity = 2};

TEST(broken_queues, an_item_beside_its_lap_is_rejected) {
  EXPECT_GT(failing<torn_queue>(small), 0u);
}

TEST(broken_queues, both_words_of_16_bytes_given_back_are_rejected) {
  EXPECT_GT(failing<queue_that_gives_both_words_back>(least), 0u);
}

TEST(broken_queues, a_push_that_does_not_look_for_space_is_rejected) {
  EXPECT_GT(failing<queue_without_bound>(small), 0u);
}

TEST(broken_queues, an_item_of_another_lap_is_rejected) {
  EXPECT_GT(failing<queue_of_one_lap>(least), 0u);
}

TEST(broken_queues, a_push_that_waits_for_the_whole_warp_is_rejected) {
  EXPECT_GT(failing<queue_for_whole_warps>(small, 2), 0u);
}

TEST(broken_queues, the_same_unbroken_pass) {
  EXPECT_EQ(failing<slot_queue<test_item>>(small), 0u);
  EXPECT_EQ(failing<slot_queue<test_item>>(least), 0u);
  EXPECT_EQ(failing<slot_queue<test_item_16>>(least), 0u);
}

}  // namespace
}  // namespace finesync::test::broken_test
