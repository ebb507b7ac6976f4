// Timers of clients: the recorded turns, and their summary.
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/atm/reply_latency.cuh>

#include <gtest/gtest.h>

namespace finesync::atm {
namespace {

constexpr launch_shape clients{.blocks = 2, .threads_per_block = 3};
constexpr unsigned short_ns = 1000;
constexpr unsigned long_ns = 100 * short_ns;

/// Turn `slow` of each client takes long.
__global__ void take_turns(reply_timer watch, unsigned turns, unsigned slow) {
  for (unsigned turn = 0; turn < turns; ++turn) {
    watch.start();
    sleep_ns(turn == slow ? long_ns : short_ns);
    watch.stop(this_client());
  }
}

bench::counters seen_of(unsigned turns, unsigned slow) {
  const reply_latency times(clients.blocks * clients.threads_per_block, turns);
  launch_independent(take_turns, clients, times.watch(), turns, slow);
  return times.describe();
}

TEST(reply_latency, are_those_of_the_turns_that_are_kept) {
  constexpr unsigned every = reply_timer::every;
  const auto kept = seen_of(4 * every, 2 * every);
  EXPECT_LT(kept.at("reply_p50_ns"), long_ns);
  EXPECT_GE(kept.at("reply_p99_ns"), long_ns);
  EXPECT_GE(kept.at("reply_max_ns"), kept.at("reply_p99_ns"));
  EXPECT_LT(seen_of(4 * every, 2 * every + 1).at("reply_max_ns"), long_ns);
}

TEST(reply_latency, of_few_turns_are_those_of_the_first) {
  EXPECT_GE(seen_of(1, 0).at("reply_p50_ns"), long_ns);
}

TEST(reply_latency, of_nobody_are_none) {
  EXPECT_TRUE(reply_latency(4, 10).describe().empty());
}

}  // namespace
}  // namespace finesync::atm
