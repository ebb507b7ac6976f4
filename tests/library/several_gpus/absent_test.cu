// A block or a GPU that never arrives: the watchdogs end all other waits and name it, and a reset
// restores the barrier.
#include "gpus_exchange.hpp"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/several_gpus/every_block_crosses.cuh>
#include <finesync/several_gpus/grid_cross_grid.cuh>

#include <gtest/gtest.h>

#include <string>

namespace finesync::test::absent_gpu_test {
namespace {

constexpr unsigned all_blocks = ~0u;

struct planned_gpus_barrier : gpus_barrier {
  planned_gpus_barrier(const peers& all, const launch_shape& shape)
      : gpus_barrier(all, shape, gpus_exchange_plan{}.plan) {}
};

struct absentee {
  unsigned gpu;
  unsigned block;  ///< or all_blocks
};

template <class BarrierRef>
__global__ void wait_for_absent(BarrierRef barrier, symmetric_view view, absentee gone,
                                watchdog_ref watchdog) {
  if (view.me == gone.gpu && gone.block == all_blocks) return;
  auto participant = barrier.join(watchdog);
  if (view.me == gone.gpu && blockIdx.x == gone.block) return;
  view.at<std::uint32_t>(view.me, (blockIdx.x * blockDim.x + threadIdx.x) * 4) =
      participant.wait() ? 2u : 1u;
}

/// The report, after a check that all others gave up and that a reset restores the barrier.
template <class Barrier = planned_gpus_barrier>
std::string report_of(const std::vector<int>& devices, absentee gone) {
  const gpus_exchange_plan plan{.devices = devices, .blocks = 4};
  const peers all{std::span<const int>(devices)};
  Barrier barrier(all, plan.shape());
  symmetric_memory gave_up(all, plan.threads());
  const gpus_watchdog timeout(all, 500'000);  // nominal ns
  launch_together(all.streams(), wait_for_absent<typename Barrier::ref_type>, plan.shape(),
                  [&](unsigned me) {
                    return std::tuple(barrier.ref(me), gave_up.view(me), gone, timeout.ref(me));
                  });
  for (unsigned gpu = 0; gpu < all.size(); ++gpu) {
    const auto threads = gave_up.piece(gpu).to_host();
    for (unsigned thread = 0; thread < threads.size(); ++thread) {
      const bool away = gpu == gone.gpu &&
                        (gone.block == all_blocks || gone.block == thread / plan.threads_per_block);
      EXPECT_EQ(threads[thread], away ? 0u : 1u) << "thread " << thread << " of GPU " << gpu;
    }
  }
  const auto report = timeout.report();
  barrier.reset();
  EXPECT_TRUE(judge_on_gpus(plan, all, barrier).right());
  return report ? to_string(*report) : "";
}

void expect_words(const std::string& report, std::initializer_list<std::string> words) {
  for (const std::string& word : words)
    EXPECT_NE(report.find(word), std::string::npos) << "no \"" << word << "\" in: " << report;
}

TEST(absent_gpu, is_named) {
  expect_words(report_of({0, 1}, {1, all_blocks}),
               {"GPU 0: blocks 1, 2 and 3 wait for the other blocks",
                "block 0 waits for the other GPUs", "; GPU 1 never arrived"});
  expect_words(report_of({0, 1, 2, 3}, {2, all_blocks}), {"; GPU 2 never arrived; GPU 3: "});
}

TEST(absent_gpu, ends_the_waits_at_every_barrier) {
  for (const absentee gone : {absentee{1, all_blocks}, absentee{1, 2}, absentee{0, 0}}) {
    report_of<every_block_crosses_barrier<>>({0, 1}, gone);
    report_of<grid_cross_grid_barrier<autotuned_barrier>>({0, 1}, gone);
  }
}

TEST(absent_block, is_named_with_its_gpu) {
  const std::string report = report_of({0, 1}, {1, 2});
  expect_words(report,
               {"GPU 0: ", "; GPU 1: ", "wait for the other blocks", "; block 2 never arrived"});
  EXPECT_GT(report.find("never arrived"), report.find("; GPU 1: ")) << report;
  expect_words(report_of({0, 0}, {0, 3}), {"block 3 never arrived; GPU 1: "});
}

TEST(absent_root, is_named_with_its_gpu) {
  expect_words(report_of({0, 1}, {0, 0}), {"block 0 never arrived; GPU 1: "});
}

__global__ void wait_on_last_gpu(symmetric_view view, watchdog_ref watchdog) {
  bounded_wait wait(watchdog);
  cell<std::uint32_t>& beats = view.at<std::uint32_t>(view.me, 0);
  if (view.me == view.n - 1)
    while (!wait.timed_out()) beats = beats + 1;
}

TEST(gpus_watchdog, fires_for_the_gpu_that_waits) {
  const peers all(3);
  const symmetric_memory beats(all, 1);
  const gpus_watchdog timeout(all, 500'000);
  launch_together(all, wait_on_last_gpu, {.blocks = 1, .threads_per_block = 1},
                  [&](unsigned me) { return std::tuple(beats.view(me), timeout.ref(me)); });
  EXPECT_TRUE(timeout.fired());
  const auto report = timeout.report();
  ASSERT_TRUE(report.has_value());
  for (const unsigned gpu : {0u, 1u, 2u}) EXPECT_EQ(report->gpus[gpu].waits.size(), gpu / 2);
}

TEST(gpus_watchdog, reports_nothing_where_all_arrive) {
  const peers all(2);
  EXPECT_FALSE(gpus_watchdog(all).report().has_value());
}

}  // namespace
}  // namespace finesync::test::absent_gpu_test
