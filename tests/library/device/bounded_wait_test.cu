// The bound on waits: when one thread's bounded_wait ends, and that the others' then end too.
#include <finesync/device/clock.cuh>
#include <finesync/device/warp_wait.cuh>

#include <tests/library/harness/harness.hpp>

#include <cstdlib>

namespace finesync::test {
namespace {

constexpr std::uint64_t limit_ns = 16'000'000;  // nominal: 32 readings of the clock

/// Each block waits without success, block b after b quarters of the limit, and records the time of
/// its timeout. The waits change memory constantly; otherwise the executor would report a livelock.
__global__ void wait_in_vain(watchdog_ref watchdog, cell<std::uint64_t>* gave_up_at,
                             cell<std::uint32_t>* beats) {
  const std::uint64_t began = global_time_ns();
  const atomic_ref<std::uint32_t, scope::device> beat(*beats);
  while (global_time_ns() - began < blockIdx.x * limit_ns / 4)
    beat.fetch_add(1, memory_order::relaxed);
  bounded_wait wait(watchdog);
  while (!wait.timed_out()) beat.fetch_add(1, memory_order::relaxed);
  gave_up_at[blockIdx.x] = global_time_ns() - began;
}

TEST(bounded_wait, of_all_ends_when_that_of_one_does) {
  constexpr unsigned blocks = 3;
  const watchdog timeout(limit_ns);
  const buffer<std::uint64_t> gave_up_at(blocks);
  auto beats = zeroed(1);
  launch_cooperative(wait_in_vain, {blocks, 1}, timeout.ref(), gave_up_at.device_data(),
                     beats.device_data());
  EXPECT_TRUE(timeout.fired());
  for (const std::uint64_t ns : gave_up_at.to_host()) {
    EXPECT_GE(ns, limit_ns);
    EXPECT_LT(ns, limit_ns + limit_ns / 8);  // one check later
  }
}

/// A warp waits for a word that one of its lanes never sees set.
__global__ void wait_as_a_warp(watchdog_ref watchdog, cell<std::uint32_t>* beats,
                               cell<std::uint32_t>* gave_up) {
  const atomic_ref<std::uint32_t, scope::device> beat(*beats);
  const bool came = await_by_warp(watchdog.watching(5), awaited::token, [&] {
    beat.fetch_add(1, memory_order::relaxed);
    return threadIdx.x != 3;
  });
  gave_up[threadIdx.x] = came ? 0 : 1;
}

TEST(bounded_wait, of_a_warp_ends_for_all_its_lanes) {
  const watchdog timeout(limit_ns);
  auto beats = zeroed(1);
  const buffer<std::uint32_t> gave_up(32);
  launch_cooperative(wait_as_a_warp, {1, 32}, timeout.ref(), beats.device_data(),
                     gave_up.device_data());
  EXPECT_EQ(gave_up.to_host(), std::vector<std::uint32_t>(32, 1));
  const auto report = timeout.report();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->what, awaited::token);
  EXPECT_EQ(report->which, 5u);
}

/// Block 0 waits unsuccessfully for lock 7. Block 1's waits succeed repeatedly, until a quarter of
/// block 0's time is over or, if it `goes_on`, until block 0 times out. Block 2 then begins to
/// wait.
__global__ void wait_beside_others(watchdog_ref watchdog, cell<std::uint32_t>* beats,
                                   bool goes_on) {
  const atomic_ref<std::uint32_t, scope::device> beat(*beats);
  const std::uint64_t began = global_time_ns();
  if (blockIdx.x == 0) {
    bounded_wait wait(watchdog, awaited::lock, 7);
    while (!wait.timed_out()) beat.fetch_add(1, memory_order::relaxed);
    return;
  }
  while (blockIdx.x == 2 && !watchdog.has_fired()) beat.fetch_add(1, memory_order::relaxed);
  bounded_wait wait(watchdog);
  std::uint64_t last = began;
  while (!wait.timed_out()) {
    beat.fetch_add(1, memory_order::relaxed);
    const std::uint64_t now = global_time_ns();
    if (now - last < limit_ns / 16) continue;
    last = now;
    if (goes_on || now - began < limit_ns / 4) wait.restart();
  }
}

wait_report report_beside_others(bool goes_on) {
  const watchdog timeout(limit_ns);
  EXPECT_FALSE(timeout.report());
  auto beats = zeroed(1);
  launch_cooperative(wait_beside_others, {3, 1}, timeout.ref(), beats.device_data(), goes_on);
  return timeout.report().value();
}

TEST(bounded_wait, tells_who_waited_for_what) {
  const wait_report report = report_beside_others(false);
  EXPECT_EQ(report.block, 0u);
  EXPECT_EQ(report.thread, 0u);
  EXPECT_EQ(report.what, awaited::lock);
  EXPECT_EQ(report.which, 7u);
  EXPECT_GT(report.waited_ns, limit_ns);
  EXPECT_LT(report.waited_ns, limit_ns + limit_ns / 8);
  EXPECT_FALSE(report.last_progress_ns);
  EXPECT_TRUE(report.hung());
  EXPECT_EQ(
      to_string(report),
      "block 0, thread 0 timed out after 16 ms waiting for lock 7; no thread made progress in "
      "the second half of the wait; block 0 waits for lock 7; block 1 waits for something; block 2 "
      "holds it or left with it");
}

TEST(bounded_wait, tells_whether_others_went_on) {
  const wait_report report = report_beside_others(true);
  EXPECT_EQ(report.block, 0u);
  EXPECT_GT(report.last_progress_ns.value(), limit_ns * 3 / 4);
  EXPECT_FALSE(report.hung());
}

/// Block 0 waits unsuccessfully; block 1 leaves after three quarters of that time without a wait.
__global__ void wait_while_one_leaves(watchdog_ref watchdog, cell<std::uint32_t>* beats,
                                      bool tells) {
  const atomic_ref<std::uint32_t, scope::device> beat(*beats);
  if (blockIdx.x == 0) {
    bounded_wait wait(watchdog);
    while (!wait.timed_out()) beat.fetch_add(1, memory_order::relaxed);
    return;
  }
  const std::uint64_t began = global_time_ns();
  while (global_time_ns() - began < limit_ns * 3 / 4) beat.fetch_add(1, memory_order::relaxed);
  if (tells) watchdog.report_done();
}

TEST(bounded_wait, takes_a_thread_that_is_done_for_a_sign_of_life) {
  for (const bool tells : {false, true}) {
    const watchdog timeout(limit_ns);
    auto beats = zeroed(1);
    launch_cooperative(wait_while_one_leaves, {2, 1}, timeout.ref(), beats.device_data(), tells);
    EXPECT_EQ(timeout.report().value().hung(), !tells);
  }
}

TEST(bounded_wait, begins_anew_after_a_reset) {
  watchdog timeout(limit_ns);
  auto beats = zeroed(1);
  launch_cooperative(wait_beside_others, {3, 1}, timeout.ref(), beats.device_data(), false);
  EXPECT_TRUE(timeout.fired());
  timeout.reset();
  EXPECT_FALSE(timeout.fired());
  EXPECT_FALSE(timeout.report());
}

/// Its wait succeeds after three quarters of the limit.
__global__ void wait_for_long(watchdog_ref watchdog, cell<std::uint32_t>* beats) {
  const std::uint64_t began = global_time_ns();
  bounded_wait wait(watchdog);
  while (global_time_ns() - began < limit_ns * 3 / 4 && !wait.timed_out())
    atomic_ref<std::uint32_t, scope::device>(*beats).fetch_add(1, memory_order::relaxed);
}

TEST(bounded_wait, takes_no_earlier_kernel_for_a_sign_of_life) {
  const watchdog timeout(limit_ns);
  auto beats = zeroed(1);
  for (int kernel = 0; kernel < 2; ++kernel)
    launch_cooperative(wait_for_long, {1, 1}, timeout.ref(), beats.device_data());
  EXPECT_FALSE(timeout.fired());
  launch_cooperative(wait_in_vain, {1, 1}, timeout.ref(), buffer<std::uint64_t>(1).device_data(),
                     beats.device_data());
  EXPECT_TRUE(timeout.report().value().hung());
}

/// Block 0 waits until block 1, whose waits succeed for three times the limit, ends them, if it
/// does.
__global__ void wait_for_the_slow(watchdog_ref watchdog, std::uint64_t limit,
                                  cell<std::uint32_t>* words, bool comes) {
  const atomic_ref<std::uint32_t, scope::device> arrived(words[0]);
  const atomic_ref<std::uint32_t, scope::device> beat(words[1]);
  const std::uint64_t began = global_time_ns();
  std::uint64_t last = began;
  bounded_wait wait(watchdog);
  while (!wait.timed_out()) {
    beat.fetch_add(1, memory_order::relaxed);
    if (blockIdx.x == 0 && arrived.load(memory_order::relaxed) != 0) return;
    const std::uint64_t now = global_time_ns();
    if (blockIdx.x == 0 || now - last < limit / 16) continue;
    last = now;
    wait.restart();
    if (now - began < 3 * limit) continue;
    if (comes) arrived.store(1, memory_order::relaxed);
    return;
  }
}

std::optional<wait_report> report_of_the_slow(const watchdog& timeout, bool comes) {
  auto words = zeroed(2);
  launch_cooperative(wait_for_the_slow, {2, 1}, timeout.ref(), timeout.limit_ns(),
                     words.device_data(), comes);
  return timeout.report();
}

TEST(watchdog, of_the_machine_waits_while_others_go_on_and_no_longer) {
  watchdog timeout;
  EXPECT_FALSE(report_of_the_slow(timeout, true));
  timeout.reset();
  EXPECT_FALSE(report_of_the_slow(timeout, true));
  const auto report = report_of_the_slow(timeout, false);
  EXPECT_TRUE(report.value().hung());
  EXPECT_EQ(report.value().block, 0u);
  EXPECT_FALSE(report_of_the_slow(watchdog(limit_ns), true).value().hung());
  const auto is_strict_if_given = [] {
    for (const machine_option& option : machine_options())
      if (option.name == "watchdog-ms") option.set("20");
    std::exit(report_of_the_slow(watchdog(), true) ? 0 : 1);
  };
  EXPECT_EXIT(is_strict_if_given(), testing::ExitedWithCode(0), "");
}

TEST(watchdog, lasts_for_a_day_at_most) {
  constexpr std::uint64_t day_ns = 86'400'000'000'000;
  EXPECT_EQ(watchdog(limit_ns).limit_ns(), limit_ns);
  for (const std::uint64_t longer : {day_ns, day_ns + 1, ~std::uint64_t{0}}) {
    const watchdog patient(longer);
    EXPECT_EQ(patient.limit_ns(), day_ns);
    EXPECT_GE(patient.ref().limit, day_ns >> finesync::detail::tick_bits);
    EXPECT_LT(patient.ref().limit, 1u << 31);  // two times apart have an order
  }
}

/// Many short waits that are long only in total.
__global__ void wait_often(watchdog_ref watchdog, cell<std::uint32_t>* timed_out,
                           cell<std::uint32_t>* beats, bool renews) {
  const atomic_ref<std::uint32_t, scope::device> beat(*beats);
  bounded_wait wait(watchdog);
  const std::uint64_t began = global_time_ns();
  std::uint64_t last = began;
  while (global_time_ns() - began < 2 * limit_ns) {
    beat.fetch_add(1, memory_order::relaxed);
    if (wait.timed_out()) *timed_out = 1u;
    if (renews && global_time_ns() - last > limit_ns / 2) {
      wait.restart();
      last = global_time_ns();
    }
  }
}

bool fires_in_often(bool renews) {
  const watchdog timeout(limit_ns);
  auto words = zeroed(2);
  auto* cells = words.device_data();
  launch_cooperative(wait_often, {1, 1}, timeout.ref(), cells, cells + 1, renews);
  EXPECT_EQ(words.to_host()[0] != 0, timeout.fired());
  return timeout.fired();
}

TEST(bounded_wait, is_of_one_wait_and_not_of_all_together) {
  EXPECT_FALSE(fires_in_often(true));
  EXPECT_TRUE(fires_in_often(false));
}

}  // namespace
}  // namespace finesync::test
