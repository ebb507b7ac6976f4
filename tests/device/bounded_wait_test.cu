// The bound on waits: when one thread's bounded_wait ends, and that with it the others' end, too.
#include <finesync/device/buffer.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/device/launch.cuh>
#include <finesync/device/watchdog.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace finesync {
namespace {

constexpr std::uint64_t limit_ns = 16'000'000;  // nominal: 32 readings of the clock

/// Each block waits in vain, block b after b quarters of the limit, and notes when it gave up. The
/// waits go on changing memory, or the executor would take them for a livelock.
__global__ void wait_in_vain(watchdog_ref watchdog, cell<std::uint64_t>* gave_up_at,
                             cell<std::uint32_t>* beats) {
  const std::uint64_t began = global_time_ns();
  const atomic_ref<std::uint32_t, scope::device> beat(*beats);
  while (global_time_ns() - began < blockIdx.x * watchdog.limit_ns / 4)
    beat.fetch_add(1, memory_order::relaxed);
  bounded_wait wait(watchdog);
  while (!wait.timed_out()) beat.fetch_add(1, memory_order::relaxed);
  gave_up_at[blockIdx.x] = global_time_ns() - began;
}

TEST(bounded_wait, of_all_ends_when_that_of_one_does) {
  constexpr unsigned blocks = 3;
  const watchdog timeout(limit_ns);
  const buffer<std::uint64_t> gave_up_at(blocks);
  buffer<std::uint32_t> beats(1);
  beats.fill_bytes(0);
  launch_cooperative(wait_in_vain, {blocks, 1}, timeout.ref(), gave_up_at.as<cell<std::uint64_t>>(),
                     beats.as<cell<std::uint32_t>>());
  EXPECT_TRUE(timeout.fired());
  for (const std::uint64_t ns : gave_up_at.to_host()) {
    EXPECT_GE(ns, limit_ns);
    EXPECT_LT(ns, limit_ns + limit_ns / 8);  // a check later
  }
}

/// Waits that are long together, and none of them alone.
__global__ void wait_often(watchdog_ref watchdog, cell<std::uint32_t>* timed_out,
                           cell<std::uint32_t>* beats, bool renews) {
  const atomic_ref<std::uint32_t, scope::device> beat(*beats);
  bounded_wait wait(watchdog);
  const std::uint64_t began = global_time_ns();
  std::uint64_t last = began;
  while (global_time_ns() - began < 2 * watchdog.limit_ns) {
    beat.fetch_add(1, memory_order::relaxed);
    if (wait.timed_out()) *timed_out = 1u;
    if (renews && global_time_ns() - last > watchdog.limit_ns / 2) {
      wait.restart();
      last = global_time_ns();
    }
  }
}

bool fires_in_often(bool renews) {
  const watchdog timeout(limit_ns);
  buffer<std::uint32_t> words(2);
  words.fill_bytes(0);
  auto* cells = words.as<cell<std::uint32_t>>();
  launch_cooperative(wait_often, {1, 1}, timeout.ref(), cells, cells + 1, renews);
  EXPECT_EQ(words.to_host()[0] != 0, timeout.fired());
  return timeout.fired();
}

TEST(bounded_wait, is_of_one_wait_and_not_of_all_together) {
  EXPECT_FALSE(fires_in_often(true));
  EXPECT_TRUE(fires_in_often(false));
}

}  // namespace
}  // namespace finesync
