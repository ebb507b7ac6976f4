// The executor's clock, and waits that are bounded by it near the wrap-around of their ticks.
#include "harness.hpp"

#include <finesync/device/clock.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/watchdog.cuh>

namespace simt_test::clock_test {
namespace {

constexpr std::uint64_t limit_ns = 16'000'000;

/// Waits in vain, and tells how long. Something changes meanwhile, so it is no livelock.
__global__ void wait_in_vain(watchdog_ref watchdog, cell64* waited_ns, cell32* beats) {
  const std::uint64_t began = global_time_ns();
  bounded_wait wait(watchdog);
  while (!wait.timed_out()) device_ref(*beats).fetch_add(1, memory_order::relaxed);
  *waited_ns = global_time_ns() - began;
}

std::uint64_t bounded_wait_from(std::uint64_t clock_ns) {
  simt::settings how = round_robin();
  how.clock_starts_ns = clock_ns;
  const simt::scoped_settings use(how);
  const watchdog timeout(limit_ns);
  const auto waited_ns = buffer<std::uint64_t>::zeroed(1);
  const auto beats = zeroed_words(1);
  launch_cooperative(wait_in_vain, {.threads_per_block = 1}, timeout.ref(), waited_ns.device_data(),
                     beats.device_data());
  return waited_ns.to_host()[0];
}

TEST(clock, bounds_a_wait_from_any_start) {
  constexpr std::uint64_t wraps = std::uint64_t{1} << (32 + detail::tick_bits);
  for (const std::uint64_t start : {std::uint64_t{0}, wraps - limit_ns / 2, wraps - limit_ns / 8}) {
    const std::uint64_t waited_ns = bounded_wait_from(start);
    EXPECT_GE(waited_ns, limit_ns) << start;
    EXPECT_LT(waited_ns, limit_ns + limit_ns / 8) << start;
  }
}

__global__ void read_clock(cell64* ns) {
  *ns = global_time_ns();
}

TEST(clock, starts_where_it_is_told_to) {
  simt::settings how = round_robin();
  how.clock_starts_ns = 5'000'000;
  const simt::scoped_settings use(how);
  const auto ns = buffer<std::uint64_t>::zeroed(1);
  launch_cooperative(read_clock, {.threads_per_block = 1}, ns.device_data());
  EXPECT_GE(ns.to_host()[0], how.clock_starts_ns);
  EXPECT_LT(ns.to_host()[0], how.clock_starts_ns + 100'000);
  EXPECT_LT(simt::last_launch().nominal_ns, 100'000u);
}

}  // namespace
}  // namespace simt_test::clock_test
