// The report of a hang names its culprits, and no block where all are only slow.
#include "planted_hangs.cuh"

#include <gtest/gtest.h>

namespace finesync::test::hang_report_test {
namespace {

constexpr std::uint64_t limit_ns = 2'000'000;  // nominal
constexpr launch_shape grid{.blocks = 12, .threads_per_block = 32};

TEST(hang_report, names_the_culprits_of_thirty_hangs) {
  for (const unsigned seed : {1u, 2u}) {
    for (const planted_hang& hang : planted_hangs(grid, seed)) {
      const watchdog timeout(limit_ns);
      hang.launch(timeout);
      const auto report = timeout.report();
      ASSERT_TRUE(report) << hang.name;
      EXPECT_EQ(report->all.culprits(), hang.culprits) << hang.name << ": " << to_string(*report);
      EXPECT_EQ(report->all.blocks, grid.blocks);
      EXPECT_TRUE(report->hung()) << hang.name << ": " << to_string(*report);
    }
  }
}

TEST(hang_report, tells_who_waits_for_whom) {
  const auto text_of = [](const planted_hang& hang) {
    const watchdog timeout(limit_ns);
    hang.launch(timeout);
    return to_string(timeout.report().value().all);
  };
  const hang_shape in{.grid = grid, .culprit = 7, .other = 2};
  EXPECT_EQ(text_of(missed_barrier<cutlass_counter_barrier<>>("", in, 3)),
            "11 blocks wait for the other blocks; block 7 never arrived");
  EXPECT_EQ(text_of(broken_chain(in)),
            "6 blocks wait for event 0 (seen 6, wanted 12); 4 blocks wait for event 1 (seen 3, "
            "wanted 4); block 3 waits for event 5 (seen 0, wanted 1); block 7 never arrived");
  EXPECT_EQ(
      text_of(kept_words(in)),
      "6 blocks wait for event 1 of 'words', which holds round 0, round 1 is awaited; 5 blocks "
      "wait for event 0 (seen 5, wanted 12); block 1 never arrived");
  EXPECT_EQ(
      text_of(missed_queue("", in, true)),
      "9 blocks wait for event 0 (seen 9, wanted 12); blocks 10 and 11 wait for an item of queue "
      "'jobs'; block 1 never arrived");
  EXPECT_EQ(text_of(kept_lock<tas_lock<scope::device>>("", in, 0)),
            "11 blocks wait for lock 5; block 7 holds it or left with it");
  EXPECT_EQ(
      text_of(locks_in_a_cycle<tas_lock<scope::device>>("", in)),
      "block 2 waits for lock 3, which block 7 holds; block 7 waits for lock 6, which block 2 "
      "holds: a cycle");
  EXPECT_EQ(
      text_of(leaked_permits(in)),
      "10 blocks wait for permits of semaphore 2; blocks 2 and 7 hold permits or left with them");
}

TEST(hang_report, tells_what_a_counter_barrier_has_seen) {
  const watchdog timeout(limit_ns);
  missed_barrier<counter_barrier>("", {.grid = grid, .culprit = 7, .other = 2}, 0, counter_plan{})
      .launch(timeout);
  const auto waits = timeout.report().value().all.waits;
  for (const late_wait& wait : waits) EXPECT_EQ(wait.wanted - wait.seen, 1u);
  EXPECT_EQ(waits.size(), grid.blocks - 1);
}

__global__ void wait_for_part_of_the_limit(cell<std::uint32_t>* turns, watchdog_ref watchdog) {
  const std::uint64_t began = global_time_ns();
  await(watchdog, awaited::token, [&] { return global_time_ns() - began > limit_ns / 2; });
  if (threadIdx.x == 0) turns[blockIdx.x] = watchdog.posts()[blockIdx.x].turn;
}

TEST(hang_report, shows_late_waits_before_the_limit) {
  const watchdog timeout(limit_ns);
  const auto turns = zeroed(grid.blocks);
  launch_cooperative(wait_for_part_of_the_limit, grid, turns.device_data(), timeout.ref());
  EXPECT_FALSE(timeout.report());
  for (const std::uint32_t turn : turns.to_host()) EXPECT_NE(turn, 0u);
}

/// No report, and no wait is left at the end, though some have waited long.
TEST(hang_report, takes_nobody_who_is_slow_for_hung) {
  for (const unsigned slow : {0u, 5u, 11u}) {
    const watchdog timeout(limit_ns);
    const cutlass_counter_barrier<> barrier(grid);
    launch_cooperative(come_late<decltype(barrier.ref())>, grid, barrier.ref(), slow,
                       limit_ns * 3 / 4, 4u, timeout.ref());
    EXPECT_FALSE(timeout.report());
    EXPECT_TRUE(timeout.waits().waits.empty());
  }
}

/// Block 5 comes when the others have given up, and waits for block 6, which never comes.
__global__ void come_too_late(cell<std::uint32_t>* events, watchdog_ref watchdog) {
  const std::uint64_t began = global_time_ns();
  while (blockIdx.x == 5 && global_time_ns() - began < 4 * limit_ns) sleep_ns(1000);
  if (blockIdx.x != 6) end_together(events, watchdog);
}

TEST(hang_report, names_who_came_too_late) {
  const watchdog timeout(limit_ns);
  const auto events = zeroed(1);
  launch_cooperative(come_too_late, {.blocks = 8, .threads_per_block = 1}, events.device_data(),
                     timeout.ref());
  EXPECT_EQ(timeout.report().value().all.culprits(), (std::vector<unsigned>{5, 6}));
}

/// Block 0 waits in vain; when it gives up, it ends the waits of the others, which see that first.
__global__ void give_up_for_all(cell<std::uint32_t>* events, watchdog_ref watchdog) {
  if (blockIdx.x > 0) {
    for (int i = 0; i < 600; ++i)  // they begin later
      word_of_device(events[0]).load(memory_order::relaxed);
    await_count(events, 1, 1, watchdog, awaited::event);
    return;
  }
  if (!await_count(events, 2, 1, watchdog, awaited::event)) add_one(events, 1);
}

TEST(hang_report, keeps_the_waits_that_the_first_to_give_up_has_ended) {
  const watchdog timeout(limit_ns);
  const auto events = zeroed(3);
  launch_cooperative(give_up_for_all, {.blocks = 6, .threads_per_block = 1}, events.device_data(),
                     timeout.ref());
  EXPECT_EQ(timeout.report().value().all.waits.size(), 6u);
}

late_wait wait_of(unsigned block, awaited what, std::optional<std::uint32_t> which = {},
                  std::optional<std::uint32_t> holds = {}) {
  return {.block = block, .thread = 0, .what = what, .which = which, .holds = holds};
}

TEST(waiting_blocks, blames_a_cycle_before_who_is_silent) {
  const waiting_blocks three{5,
                             {wait_of(0, awaited::lock, 1, 9), wait_of(1, awaited::lock, 2, 1),
                              wait_of(3, awaited::lock, 1, 2)}};
  EXPECT_EQ(three.silent(), (std::vector<unsigned>{2, 4}));
  EXPECT_EQ(three.culprits(), (std::vector<unsigned>{1, 3}));
}

TEST(waiting_blocks, finds_no_cycle_where_the_chain_ends) {
  const waiting_blocks chain{4,
                             {wait_of(0, awaited::lock, 1), wait_of(1, awaited::lock, 2, 1),
                              wait_of(2, awaited::blocks, {}, 2)}};
  EXPECT_TRUE(chain.cycle().empty());
  EXPECT_EQ(
      to_string(chain),
      "block 0 waits for lock 1, which block 1 holds; block 1 waits for lock 2, which block 2 "
      "holds; block 2 waits for the other blocks; block 3 holds it or left with it");
}

TEST(waiting_blocks, names_a_few_of_many) {
  waiting_blocks many{300, {}};
  EXPECT_EQ(to_string(many), "");
  for (unsigned block = 0; block < 280; ++block)
    many.waits.push_back(wait_of(block, awaited::blocks));
  EXPECT_EQ(to_string(many),
            "280 blocks wait for the other blocks; blocks 280, 281, 282, 283, 284, 285, 286 and 13 "
            "more never arrived");
}

TEST(waiting_blocks, say_what_was_not_done_with_a_queue) {
  EXPECT_EQ(to_string(waiting_blocks{2, {wait_of(0, awaited::queue_item)}}),
            "block 0 waits for an item of a queue; block 1 never pushed");
  EXPECT_EQ(to_string(waiting_blocks{2, {wait_of(1, awaited::queue_space)}}),
            "block 1 waits for space in a queue; block 0 never popped");
}

TEST(waiting_blocks, has_no_silent_ones_in_a_grid_that_shares_slots) {
  EXPECT_TRUE((waiting_blocks{0, {wait_of(3, awaited::blocks)}}.culprits().empty()));
}

}  // namespace
}  // namespace finesync::test::hang_report_test
