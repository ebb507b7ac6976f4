// Timers of clients: the recorded turns, and their summary.
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/atm/reply_latency.cuh>
#include <workloads/common/observers/contention_observer.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

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

TEST(reply_latency, of_which_some_are_lost_are_refused) {
  const reply_latency times(clients.blocks * clients.threads_per_block, 3 * reply_timer::every);
  EXPECT_THROW(times.describe(), bench::failed_run);
  launch_independent(take_turns, clients, times.watch(), 2 * reply_timer::every, 0);
  EXPECT_THROW(times.describe(), bench::failed_run);
}

/// Sections under an observer. One thread may forget to report its counts.
template <class Observer>
__global__ void observe(Observer observer, unsigned forgetful) {
  for (unsigned section = 0; section < 3; ++section) {
    observer.begin(threadIdx.x);
    observer.retry();
    observer.entered();
    observer.leaving();
  }
  if (threadIdx.x != forgetful) observer.finish();
}

TEST(observed_locks, of_which_counts_are_lost_are_refused) {
  constexpr launch_shape two_threads{.blocks = 1, .threads_per_block = 2};
  const workload::contention_record right(2, 1);
  launch_independent(observe<workload::contention_observer>, two_threads, right.probe(), 2u);
  EXPECT_EQ(workload::counters_of(right, 6).at("lock_acquisitions_per_operation"), 1);
  const workload::contention_record wrong(2, 1);
  launch_independent(observe<workload::contention_observer>, two_threads, wrong.probe(), 1u);
  EXPECT_THROW(workload::counters_of(wrong, 6), bench::failed_run);
  launch_independent(observe<workload::contention_observer>, two_threads, wrong.probe(), 2u);
  EXPECT_THROW(workload::counters_of(wrong, 12), bench::failed_run);
}

TEST(observed_waits, are_those_of_all_acquisitions) {
  std::vector<std::uint32_t> bins(2 * workload::wait_histogram::bins);
  bins[3] = 2;                                    // 3 ns
  bins[workload::wait_histogram::bins + 40] = 1;  // 1024 ns
  const auto expect = [&](std::uint64_t number, std::uint64_t longest) {
    workload::wait_histogram::expect_waits(bins, number, longest);
  };
  EXPECT_NO_THROW(expect(3, 1100));
  EXPECT_THROW(expect(4, 1100), bench::failed_run);
  EXPECT_THROW(expect(3, 5000), bench::failed_run);
  EXPECT_THROW(expect(3, 3), bench::failed_run);
}

}  // namespace
}  // namespace finesync::atm
