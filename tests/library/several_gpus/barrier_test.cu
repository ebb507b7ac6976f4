// The barrier of several GPUs on many schedules, in strong and weak memory, and those that it is
// compared with. A block or a GPU that never arrives: the watchdogs end all other waits and name
// it, and a reset restores the barrier.
#include "gpus_exchange.hpp"
#include "weaker_fences.cuh"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/barriers/sense_reversing_barrier.cuh>
#include <finesync/several_gpus/every_block_crosses.cuh>
#include <finesync/several_gpus/grid_cross_grid.cuh>

namespace finesync::test::gpus_barrier_test {
namespace {

const std::vector<int> two{0, 1};
const std::vector<int> four{0, 1, 2, 3};
const std::vector<int> eight{0, 1, 2, 3, 4, 5, 6, 7};
const std::vector<int> twice_one{0, 0};

template <class Barrier = gpus_barrier>
void expect_right(const gpus_exchange_config& plan, unsigned seeds) {
  expect_right_in_any_memory(seed_budget(seeds),
                             [&] { return run_exchange_on_gpus<Barrier>(plan).right(); });
}

TEST(gpus_barrier, hands_everything_over_between_two_gpus) {
  expect_right({.devices = two}, 60);
  expect_right({.devices = two, .blocks = 5, .threads_per_block = 2}, 40);
  expect_right({.devices = two, .blocks = 1, .threads_per_block = 2}, 40);
}

TEST(gpus_barrier, hands_everything_over_between_two_grids_of_one_gpu) {
  expect_right({.devices = twice_one}, 60);
}

TEST(gpus_barrier, hands_everything_over_between_four_and_eight_gpus) {
  expect_right({.devices = four, .blocks = 2}, 30);
  expect_right({.devices = {0, 1, 2}, .blocks = 2}, 30);
  expect_right({.devices = eight, .blocks = 2, .threads_per_block = 8}, 10);
}

TEST(gpus_barrier, lets_a_gpu_join_when_the_others_have_arrived) {
  expect_right({.devices = two, .blocks = 2, .rounds = 2, .late = 300}, 20);
}

TEST(gpus_barrier, works_when_its_root_is_on_another_side_of_the_l2_in_each_launch) {
  gpus_exchange_config plan{.devices = two, .rounds = 2, .launches = 1};
  const peers all(std::span<const int>(plan.devices));
  const gpus_barrier barrier(all, plan.shape(), plan.plan);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const simt::scoped_settings elsewhere(simt::random_schedule(seed));
    EXPECT_TRUE(run_exchange_on_gpus(plan, all, barrier).right()) << seed;
  }
}

TEST(gpus_barrier, works_with_the_blocks_of_one_gpu_alone) {
  expect_right({.devices = {0}, .threads_per_block = 2}, 20);
}

TEST(gpus_barrier, works_with_copies_on_both_sides_in_blocks_of_several_warps) {
  expect_right({.devices = two,
                .blocks = 4,
                .threads_per_block = 40,
                .rounds = 2,
                .plan = {.counters = 4, .replicas = 8}},
               8);
}

/// The plan in effect of a plan for many lanes.
counter_plan cut(const std::vector<int>& devices, unsigned threads) {
  const peers all{std::span<const int>(devices)};
  return gpus_barrier(all, {.blocks = 2, .threads_per_block = threads},
                      {.counters = 32, .replicas = 16})
      .plan();
}

TEST(gpus_barrier, has_a_lane_for_each_copy_on_each_gpu) {
  EXPECT_EQ(cut(two, 64).replicas, 8u);
  EXPECT_EQ(cut(eight, 64).replicas, 2u);
  EXPECT_EQ(cut(eight, 8).replicas, 1u);
  EXPECT_EQ(cut(eight, 8).sides, 1u);
  EXPECT_EQ(cut(two, 64).counters, 32u);
}

TEST(gpus_barrier, takes_a_plan_for_its_blocks_per_sm) {
  const auto chosen = [](const peers& all, unsigned per_sm) {
    const unsigned blocks = per_sm * static_cast<unsigned>(current_gpu().sms);
    return gpus_barrier(all, {.blocks = blocks, .threads_per_block = 64}).plan();
  };
  const peers all(2);
  EXPECT_EQ(chosen(all, 2).counters, 1u);
  EXPECT_EQ(chosen(all, 2).replicas, 4u);
  EXPECT_EQ(chosen(all, 8).counters, 4u);
  EXPECT_EQ(chosen(all, 17).counters, 32u);
  EXPECT_EQ(chosen(peers(std::span<const int>(twice_one)), 4).counters, 4u)
      << "two grids have as many blocks on an SM together";
}

TEST(peers, take_turns_on_the_devices_of_the_machine) {
  const peers all = peers::in_turns(3);
  EXPECT_EQ(all.stream_of(2).device(), 2) << "the executor has as many as are named";
  EXPECT_EQ(all.grids_beside(0), 1u);
  EXPECT_EQ(peers(std::span<const int>(twice_one)).grids_beside(1), 2u);
}

TEST(gpus_barrier, refuses_what_cannot_be) {
  const peers all(4);
  EXPECT_THROW(gpus_barrier(all, {.blocks = 2, .threads_per_block = 3}, {}), std::invalid_argument);
  EXPECT_THROW(peers(9), std::invalid_argument);
  EXPECT_THROW(peers(0), std::invalid_argument);
}

template <class BarrierRef>
__global__ void pass_on_gpus(BarrierRef barrier, unsigned times, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  for (unsigned i = 0; i < times; ++i)
    if (!participant.wait()) return;
}

simt::counters counts_of(unsigned times) {
  const peers all(2);
  const launch_shape shape{.blocks = 4, .threads_per_block = 32};
  const gpus_barrier barrier(all, shape, {.counters = 2, .replicas = 2});
  EXPECT_TRUE(ends_on(all, pass_on_gpus<gpus_barrier::ref_type>, shape, barrier, times));
  return simt::last_launch().counts;
}

TEST(gpus_barrier, crosses_the_link_once_per_gpu) {
  constexpr unsigned barriers = 10;
  const simt::counters many = counts_of(barriers + 1);
  const simt::counters one = counts_of(1);
  const auto per_barrier = [&](simt::op_kind kind, scope reach, simt::space where) {
    return (many.operations(kind, reach, where) - one.operations(kind, reach, where)) / barriers;
  };
  using enum simt::op_kind;
  // Each root: two copies on two sides of two GPUs, each added to by a lane after its fence.
  EXPECT_EQ(per_barrier(fetch_add, scope::system, simt::space::global), 2u * 8);
  // Each other block: one addition after one fence; and a fence by each of the root's lanes.
  EXPECT_EQ(per_barrier(fetch_add, scope::device, simt::space::global), 2u * 3);
  EXPECT_EQ(per_barrier(fence, scope::device, simt::space::none), 2u * (3 + 32));
  // All first warps acquire after the poll.
  EXPECT_EQ(per_barrier(fence, scope::system, simt::space::none), 2u * (8 + 4 * 32));
}

template <class Fences>
struct every_block {
  using barrier = every_block_crosses_barrier<Fences>;
};
template <class Fences>
struct through_grids {
  using barrier = grid_cross_grid_barrier<sense_reversing_barrier<>, cross_by_boxes<Fences>>;
};

/// The number of schedules with a wrong word, or that do not end.
template <class Barrier>
unsigned failing(simt::memory_kind memory, const gpus_exchange_config& plan) {
  return failing_twin_seeds(memory, 60,
                            [&] { return run_exchange_on_gpus<Barrier>(plan).right(); });
}

/// The number of schedules with a race.
template <class Barrier>
unsigned racing() {
  return racing_seeds(5, [] { return run_exchange_on_gpus<Barrier>({}).right(); });
}

template <class Form>
class gpus_baseline : public ::testing::Test {};
using forms = ::testing::Types<every_block<gpus_fences>, through_grids<gpus_fences>>;
TYPED_TEST_SUITE(gpus_baseline, forms);

TYPED_TEST(gpus_baseline, hands_everything_over) {
  using barrier = typename TypeParam::barrier;
  expect_right<barrier>({.devices = {0, 1}}, 20);
  expect_right<barrier>({.devices = {0, 0}}, 20);
  expect_right<barrier>({.devices = {0, 1, 2}, .blocks = 2}, 20);
  expect_right<barrier>({.devices = {0, 1}, .blocks = 1, .threads_per_block = 2}, 20);
}

TYPED_TEST(gpus_baseline, lets_a_gpu_join_when_the_others_have_arrived) {
  expect_right<typename TypeParam::barrier>(
      {.devices = {0, 1}, .blocks = 2, .rounds = 2, .late = 300}, 20);
}

TYPED_TEST(gpus_baseline, does_not_race) {
  EXPECT_EQ(racing<typename TypeParam::barrier>(), 0u);
}

TYPED_TEST(gpus_baseline, refuses_a_block_without_a_thread_for_each_gpu) {
  const peers all(4);
  using barrier = typename TypeParam::barrier;
  EXPECT_THROW(barrier(all, {.blocks = 2, .threads_per_block = 3}), std::invalid_argument);
}

template <class Fences>
class gpus_baseline_with : public ::testing::Test {};
TYPED_TEST_SUITE(gpus_baseline_with, weaker_crossings);

TYPED_TEST(gpus_baseline_with, a_weaker_order_is_rejected_in_weak_memory) {
  EXPECT_GT(failing<typename every_block<TypeParam>::barrier>(weak, {}), 0u);
  EXPECT_GT(failing<typename through_grids<TypeParam>::barrier>(weak, {}), 0u);
}

// Weak memory does not show all words of a narrow scope: what one block stores reaches the others
// in the end.
TEST(words_between_gpus, of_a_gpu_alone_race) {
  EXPECT_GT(racing<every_block<crosses_in_words_of_a_gpu>::barrier>(), 0u);
  EXPECT_GT(racing<through_grids<crosses_in_words_of_a_gpu>::barrier>(), 0u);
}

constexpr unsigned all_blocks = ~0u;

struct planned_gpus_barrier : gpus_barrier {
  planned_gpus_barrier(const peers& all, const launch_shape& shape)
      : gpus_barrier(all, shape, gpus_exchange_config{}.plan) {}
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
  const gpus_exchange_config plan{.devices = devices, .blocks = 4};
  const peers all{std::span<const int>(devices)};
  Barrier barrier(all, plan.shape());
  symmetric_memory gave_up(all, plan.threads());
  const gpus_watchdog timeout(all, 500'000);  // nominal ns
  ends_on(all, timeout, wait_for_absent<typename Barrier::ref_type>, plan.shape(), barrier, gave_up,
          gone);
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
  EXPECT_TRUE(run_exchange_on_gpus(plan, all, barrier).right());
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
  EXPECT_FALSE(
      ends_on(all, timeout, wait_on_last_gpu, {.blocks = 1, .threads_per_block = 1}, beats));
  const auto report = timeout.report();
  ASSERT_TRUE(report.has_value());
  for (const unsigned gpu : {0u, 1u, 2u}) EXPECT_EQ(report->gpus[gpu].waits.size(), gpu / 2);
}

TEST(gpus_watchdog, reports_nothing_where_all_arrive) {
  const peers all(2);
  EXPECT_FALSE(gpus_watchdog(all).report().has_value());
}

}  // namespace
}  // namespace finesync::test::gpus_barrier_test
