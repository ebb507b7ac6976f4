// Times of hand-offs from the notes of their blocks.
#include <workloads/event/waiting_times.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace finesync::hand_off {
namespace {

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
