// Waits to leave: an observer that asks for it hears when the permits are given back, and the
// program's own measures the time from the end of the section until then.
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/semaphores/semaphore.cuh>
#include <workloads/semaphore/contend.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace finesync::test::exit_wait_test {
namespace {

/// Writes down what it hears, in order.
struct scribe : no_observer {
  cell<std::uint32_t>* heard;
  unsigned events = 0;

  __device__ void entered() { heard[events++] = 'e'; }
  __device__ void leaving() { heard[events++] = 'l'; }
  __device__ void left() { heard[events++] = 'o'; }
};

/// Lets everybody in. Each exit fails `lost` times.
struct sticky_door {
  unsigned lost;

  struct acquisition {
    unsigned tries = 0;
  };
  __device__ acquisition enqueue(unsigned) const { return {}; }
  __device__ bool try_enter(acquisition&) const { return true; }
  __device__ void wait(acquisition&) const { sleep_ns(1); }
  __device__ bool leave(acquisition& r) const { return r.tries++ == lost; }
};

/// The same for whole blocks.
struct sticky_gate : sticky_door {
  __device__ bool try_enter_as_block(acquisition&) const { return true; }
  __device__ bool leave_as_block(acquisition& r) const { return leave(r); }
};

template <class Semaphore>
__global__ void enter_once(Semaphore semaphore, cell<std::uint32_t>* heard, watchdog_ref watchdog) {
  scribe observer;
  observer.heard = heard;
  run_block_with_permits(
      semaphore, 1, [] {}, watchdog, observer);
}

template <class Semaphore>
std::vector<std::uint32_t> heard(unsigned lost) {
  auto events = buffer<std::uint32_t>::zeroed(3);
  const watchdog timeout(1'000'000);
  Semaphore semaphore;
  semaphore.lost = lost;
  launch_cooperative(enter_once<Semaphore>, {1, 8}, semaphore, events.device_data(), timeout.ref());
  return events.to_host();
}

using said = std::vector<std::uint32_t>;
constexpr unsigned for_ever = 1u << 30;

TEST(exits, are_heard_of_when_the_permits_are_back) {
  EXPECT_EQ(heard<sticky_door>(3), (said{'e', 'l', 'o'}));
  EXPECT_EQ(heard<sticky_gate>(3), (said{'e', 'l', 'o'}));
}

TEST(exits, that_are_given_up_are_not_heard_of) {
  EXPECT_EQ(heard<sticky_door>(for_ever), (said{'e', 'l', 0}));
  EXPECT_EQ(heard<sticky_gate>(for_ever), (said{'e', 'l', 0}));
}

/// The longest wait to leave, in nominal ns.
std::uint64_t longest_exit(unsigned lost) {
  const semaphore::run_config config{
      .size = 1, .threads_per_block = 8, .ldst = 2, .rounds = 3, .writers = false};
  const semaphore::table table(config, 2);
  const watchdog timeout;
  const auto histogram = buffer<std::uint32_t>::zeroed(2 * workload::wait_histogram::bins);
  const auto longest = buffer<std::uint64_t>::zeroed(1);
  const semaphore::exit_wait_observer observer(
      workload::wait_observer(histogram.device_data(), longest.device_data()));
  launch_cooperative(semaphore::contend<semaphore::all_words, sticky_door, workload::for_rounds,
                                        semaphore::exit_wait_observer>,
                     {2, config.threads_per_block, semaphore::all_words::shared_bytes},
                     sticky_door{lost}, table.ref(), workload::for_rounds{config.rounds},
                     timeout.ref(), observer);
  const auto counts = histogram.to_host();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0u), 2 * config.rounds);
  return longest.to_host()[0];
}

TEST(exits, wait_longer_the_more_tries_they_lose) {
  EXPECT_GT(longest_exit(1000), 10 * longest_exit(10));
}

}  // namespace
}  // namespace finesync::test::exit_wait_test
