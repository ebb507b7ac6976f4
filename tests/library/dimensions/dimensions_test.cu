// Primitives in grids and blocks of two and three dimensions. Compiled twice: in the twin the
// library numbers by x alone, and no primitive may be right.
#include "laid_out.hpp"

#include <finesync/barriers/cluster_barrier.cuh>
#include <finesync/barriers/team_barrier.cuh>
#include <finesync/events/cutlass_events.cuh>
#include <finesync/events/event_counts.cuh>
#include <finesync/events/event_words.cuh>
#include <finesync/locks/block_lock.cuh>
#include <finesync/locks/cohort_lock.cuh>
#include <finesync/locks/mcs_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/queues/segment_queue.cuh>
#include <finesync/queues/slot_queue.cuh>
#include <finesync/semaphores/semaphore.cuh>
#include <finesync/semaphores/ticket_semaphore.cuh>

#include <tests/library/barriers/exchange.hpp>
#include <tests/library/barriers/test_types.hpp>
#include <tests/library/events/hand_over.hpp>
#include <tests/library/locks/counter_kernels.cuh>
#include <tests/library/queues/carry.cuh>

namespace finesync::test::dimensions_test {
namespace {

/// In the twin wrong on some schedule.
void expect_right(unsigned seeds, const experiment<bool>& right) {
#ifdef FINESYNC_TEST_BY_X_ALONE
  const auto kept = [&] {
    try {
      return right();
    } catch (const std::logic_error&) {
      return false;
    }
  };
  expect_rejected(strong, seed_budget(seeds), kept);
#else
  expect_right_in_any_memory(seed_budget(seeds), right);
#endif
}

class dimensions : public ::testing::TestWithParam<unsigned> {};
#ifdef FINESYNC_TEST_BY_X_ALONE
constexpr unsigned most_dimensions = 2;  // its hangs take long
#else
constexpr unsigned most_dimensions = 3;
#endif
INSTANTIATE_TEST_SUITE_P(grids_and_blocks, dimensions, ::testing::Range(2u, most_dimensions + 1),
                         ::testing::PrintToStringParamName());

template <class Barrier>
void expect_barrier(unsigned dimensions, unsigned cluster_blocks = 1) {
  const exchange_config plan{.blocks = 12,
                             .threads_per_block = 32,
                             .cluster_blocks = cluster_blocks,
                             .dimensions = dimensions};
  expect_right(8, [&] { return run_exchange<Barrier>(plan).right(); });
}

TEST_P(dimensions, tree_barriers) {
  expect_barrier<sense_reversing>(GetParam());
  expect_barrier<lock_free_tree>(GetParam());
}

TEST_P(dimensions, counter_barriers) {
  expect_barrier<flat_counters>(GetParam());
  expect_barrier<sm_counters>(GetParam());
  expect_barrier<gather_broadcast>(GetParam());
}

TEST_P(dimensions, cluster_barriers) {
  expect_barrier<cluster_barrier>(GetParam(), 2);
}

/// One team of all blocks, as a grid barrier.
class one_team {
 public:
  struct ref_type {
    team_barrier::ref_type teams;
    __device__ auto join(const watchdog_ref& watchdog) const {
      return teams.join({.team = 0, .rank = linear_block(), .members = blocks_of_grid()}, watchdog);
    }
  };
  explicit one_team(const launch_shape&) : teams_(1) {}
  ref_type ref() const { return {teams_.ref()}; }

 private:
  team_barrier teams_;
};

TEST_P(dimensions, team_barriers) {
  expect_barrier<one_team>(GetParam());
}

template <class Lock>
void expect_lock(const lock_load& load) {
  expect_right(4, [&] { return counts_right(locks_for<Lock>(load), load); });
}

TEST_P(dimensions, locks_with_a_node_per_thread) {
  expect_lock<mcs_lock<scope::device>>(
      {.blocks = 6, .threads_per_block = 32, .dimensions = GetParam()});
  expect_lock<cohort_lock<scope::device, no_backoff, 4, 3, 32>>(
      {.blocks = 12, .threads_per_block = 32, .cluster_blocks = 2, .dimensions = GetParam()});
}

/// Each thread counts in its block's section, in a word of its own.
struct count_in_block {
  cell<std::uint32_t>* words;

  __device__ void operator()() const {
    cell<std::uint32_t>& mine = words[linear_thread()];
    mine = mine + 1;
    __syncthreads();
  }
};

template <class Lock>
__global__ void hold_for_blocks(lock_table_ref<Lock> locks, count_in_block count,
                                watchdog_ref watchdog) {
  for (unsigned i = 0; i < 2; ++i) {
    const block_lock_guard<Lock> guard(locks[0], watchdog);
    if (!guard) return;
    count();
  }
}

template <class SemaphoreRef>
__global__ void enter_by_blocks(SemaphoreRef semaphore, count_in_block count,
                                watchdog_ref watchdog) {
  for (unsigned i = 0; i < 2; ++i)
    if (!run_block_with_permits(semaphore, 1, count, watchdog)) return;
}

template <class Kernel, class Ref>
bool counts_by_blocks(unsigned dimensions, Kernel kernel, const Ref& ref) {
  const launch_shape shape = laid_out({.blocks = 6, .threads_per_block = 32}, dimensions);
  auto words = buffer<std::uint32_t>::zeroed(shape.threads_per_block);
  const watchdog timeout;
  launch_cooperative(kernel, shape, ref, count_in_block{words.device_data()}, timeout.ref());
  const auto counts = words.to_host();
  return !timeout.fired() && std::all_of(counts.begin(), counts.end(), [&](std::uint32_t count) {
    return count == 2 * shape.blocks;
  });
}

TEST_P(dimensions, locks_of_whole_blocks) {
  using lock = tas_lock<scope::device>;
  expect_right(10, [&] {
    const lock_table<lock> locks(1, lock_layout::packed);
    return counts_by_blocks(GetParam(), hold_for_blocks<lock>, locks.ref());
  });
}

TEST_P(dimensions, semaphores_of_whole_blocks) {
  expect_right(10, [&] {
    const ticket_semaphore<> semaphore(1);
    return counts_by_blocks(GetParam(), enter_by_blocks<decltype(semaphore.ref())>,
                            semaphore.ref());
  });
}

template <class Events>
void expect_events(unsigned dimensions) {
  const hand_over_plan plan{.blocks = 6,
                            .producers = 3,
                            .first_consumer = 2,
                            .threads_per_block = 32,
                            .dimensions = dimensions};
  expect_right(10, [&] { return hands_over<Events>(plan); });
}

TEST_P(dimensions, events) {
  expect_events<event_counts<>>(GetParam());
  expect_events<cutlass_events>(GetParam());
}

/// Block 0 puts words, and each other block takes all of them, a share per thread.
__global__ void hand_words_over(event_words<>::ref_type words, cell<std::uint32_t>* sums,
                                watchdog_ref watchdog) {
  const auto share = words.share_of(0);
  if (linear_block() == 0) {
    share.put(1, [](unsigned, unsigned index) { return event_data{index + 1, 0, 0}; });
    return;
  }
  std::uint32_t sum = 0;
  static_cast<void>(share.take(
      1, watchdog, [&](unsigned, unsigned, const event_data& data) { sum += data.first; }));
  atomic_ref<std::uint32_t, scope::device>(sums[linear_block()])
      .fetch_add(sum, memory_order::relaxed);
}

TEST_P(dimensions, event_words) {
  static constexpr unsigned number = 77;
  const launch_shape shape = laid_out({.blocks = 6, .threads_per_block = 32}, GetParam());
  expect_right(10, [&] {
    const finesync::event_words<> words(1, number * finesync::event_words<>::bytes_per_word);
    auto sums = buffer<std::uint32_t>::zeroed(shape.blocks);
    const watchdog timeout;
    launch_cooperative(hand_words_over, shape, words.ref(), sums.device_data(), timeout.ref());
    const auto found = sums.to_host();
    return !timeout.fired() && std::all_of(found.begin() + 1, found.end(), [](std::uint32_t sum) {
      return sum == number * (number + 1) / 2;
    });
  });
}

template <class Queue>
void expect_queue(const queue_load& plan) {
  expect_right(10, [&] { return arrives<Queue>(plan); });
}

TEST_P(dimensions, queues) {
  queue_load plan{
      .producers = 3,
      .consumers = 3,
      .warps = 2,
      .rounds = 2,
      .capacity = 512,
      .dimensions = GetParam(),
      .watchdog_ns = 5'000'000};  // in the twin, consumers wait for items that never come
  expect_queue<slot_queue<std::uint32_t>>(plan);
  plan.by_block = true;
  expect_queue<slot_queue<std::uint32_t>>(plan);
  expect_queue<segment_queue<std::uint32_t>>(plan);
}

/// Thread 17 of blocks 2, 3 and 5 waits for all blocks.
__global__ void stay_away(cell<std::uint32_t>* arrived, watchdog_ref watchdog) {
  if (linear_block() < 2 || linear_block() == 4 || linear_thread() != 17) return;
  const atomic_ref<std::uint32_t, scope::device> count(*arrived);
  count.fetch_add(1, memory_order::relaxed);
  const auto all_came = [&] { return count.load(memory_order::relaxed) == blocks_of_grid(); };
  static_cast<void>(await(watchdog, awaited::blocks, all_came));
}

TEST_P(dimensions, reports_of_hangs) {
  const launch_shape shape = laid_out({.blocks = 6, .threads_per_block = 32}, GetParam());
  expect_right(2, [&] {
    const auto arrived = buffer<std::uint32_t>::zeroed(1);
    const watchdog timeout(2'000'000);
    launch_cooperative(stay_away, shape, arrived.device_data(), timeout.ref());
    const auto report = timeout.report();
    return report && report->thread == 17 && report->block >= 2 &&
           report->all.blocks == shape.blocks &&
           report->all.culprits() == std::vector<unsigned>{0, 1, 4};
  });
}

}  // namespace
}  // namespace finesync::test::dimensions_test
