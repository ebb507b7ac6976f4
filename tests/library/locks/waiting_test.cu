// Waiting: its order, its cost, and the timeout of an endless wait.
#include "counter_kernels.cuh"

#include <tests/catalogue/locks.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::waiting_test {
namespace {

/// Every thread records, over all its acquisitions, the most entries by others between its enqueue
/// (or its first try) and its own entry.
template <class Lock>
__global__ void note_bypasses(lock_table_ref<Lock> locks, cell<std::uint32_t>* entered,
                              cell<std::uint32_t>* bypasses, unsigned rounds,
                              watchdog_ref watchdog) {
  auto& mine = shared_storage<slots<Lock>>();
  mine.open();
  Lock lock = mine.lock(locks, 0);
  no_observer observer;
  std::uint32_t most = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    typename Lock::acquisition acquisition = lock.enqueue();
    const std::uint32_t before = *entered;
    if (!enter_exclusive(lock, acquisition, watchdog, observer)) break;
    const std::uint32_t now = *entered;
    *entered = now + 1;
    if (!leave_exclusive(lock, acquisition, watchdog)) break;
    if (now - before > most) most = now - before;
  }
  bypasses[blockIdx.x * blockDim.x + threadIdx.x] = most;
  mine.close();
}

constexpr unsigned threads = 16;
template <class Lock>
constexpr launch_shape two_blocks{
    .blocks = 2, .threads_per_block = threads / 2, .shared_bytes = sizeof(slots<Lock>)};

template <class Lock>
std::uint32_t max_bypasses(unsigned seeds) {
  std::uint32_t most = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    const lock_table<Lock> locks(1, lock_layout::packed, threads);
    const buffer<std::uint32_t> bypasses(threads);
    ends(note_bypasses<Lock>, two_blocks<Lock>, locks, zeroed(1), bypasses, 16u);
    most = std::max(most, largest_of(bypasses));
  }
  return most;
}

// First come, first served: each other thread enters at most once before me.
TEST(queues, serve_in_order) {
  const unsigned seeds = seed_budget(200);
  EXPECT_LT((max_bypasses<ticket_lock<scope::device, no_backoff>>(seeds)), threads);
  EXPECT_LT((max_bypasses<anderson_lock<scope::device, no_backoff, 4>>(seeds)), threads);
  EXPECT_LT((max_bypasses<array_lock<scope::device, no_backoff, 4>>(seeds)), threads);
  EXPECT_LT((max_bypasses<mcs_lock<scope::device>>(seeds)), threads);
  using passing = value_passing_lock<scope::device, std::uint32_t, no_backoff, 4>;
  EXPECT_LT(max_bypasses<passing>(seeds), threads);
}

TEST(queues, are_told_from_a_lock_that_does_not) {
  EXPECT_GE((max_bypasses<tas_lock<scope::device>>(200)), threads);
}

// The others of my cohort enter before me, and a batch of the other cohort per batch of mine.
constexpr unsigned cohort_bound =
    threads / 2 - 1 + ((threads / 2 + small_batch - 1) / small_batch + 1) * small_batch;

TEST(queues, of_a_cohort_are_passed_over_by_a_few_batches) {
  const unsigned bypasses =
      max_bypasses<cohort_lock<scope::device, no_backoff, 4, small_batch, threads / 2>>(200);
  EXPECT_GE(bypasses, threads);  // it does prefer its own cohort
  EXPECT_LE(bypasses, cohort_bound);
}

TEST(queues, of_a_cohort_that_exceeds_its_batch_are_rejected) {
  EXPECT_GT((max_bypasses<cohort_lock<scope::device, no_backoff, 4, 1000, threads / 2>>(20)),
            cohort_bound);
}

/// Thread 0 enters and never leaves.
template <class Lock>
__global__ void hold_for_ever(lock_table_ref<Lock> locks, watchdog_ref watchdog) {
  auto& mine = shared_storage<slots<Lock>>();
  mine.open();
  Lock lock = mine.lock(locks, 0);
  no_observer observer;
  typename Lock::acquisition acquisition = lock.enqueue();
  const bool inside = enter_exclusive(lock, acquisition, watchdog, observer);
  if (inside && !(threadIdx.x == 0 && blockIdx.x == 0))
    leave_exclusive(lock, acquisition, watchdog);
  mine.close();
}

template <class Lock>
class abandoned : public ::testing::Test {};
using asleep_by_place = proportional_backoff<500, 65536>;
struct patient_names : names_of_tested<patient_names> {
  static constexpr const char* all[] = {"spin",  "tas", "backoff", "ticket",       "anderson",
                                        "array", "mcs", "cohort",  "value_passing"};
};
using patient_locks =
    tested_types<patient_names, spin_lock<scope::device>, tas_lock<scope::device>,
                 ttas_lock<scope::device, exponential_backoff<32, 2048>>,
                 ticket_lock<scope::device, asleep_by_place>,
                 anderson_lock<scope::device, asleep_by_place, 4>,
                 array_lock<scope::device, asleep_by_place, 4>, mcs_lock<scope::device>,
                 cohort_lock<scope::device, asleep_by_place, 4, small_batch, max_threads>,
                 value_passing_lock<scope::device, std::uint32_t, asleep_by_place, 4>>;
TYPED_TEST_SUITE(abandoned, patient_locks, patient_names);

TYPED_TEST(abandoned, lock_ends_by_the_watchdog) {
  lock_table<TypeParam> locks(1, lock_layout::packed, threads);
  EXPECT_TRUE(is_given_up(hold_for_ever<TypeParam>, two_blocks<TypeParam>, locks));
  locks.reset();
  EXPECT_TRUE(counts_right(locks, {.blocks = 2, .threads_per_block = threads / 2, .locks = 1}));
}

template <class Lock>
class asleep : public ::testing::Test {};
TYPED_TEST_SUITE(asleep, patient_locks, patient_names);

TYPED_TEST(asleep, waiters_are_in_time_for_their_turn) {
  const lock_load contended{.blocks = 4, .threads_per_block = 64, .locks = 1, .rounds = 2};
  const auto right = [&] { return counts_right<TypeParam>(contended); };
  EXPECT_EQ(failing_seeds(weak, seed_budget(10), right), 0u);
}

template <class Lock>
double polls() {
  const lock_load contended{.blocks = 4, .threads_per_block = 64, .locks = 1, .rounds = 2};
  EXPECT_TRUE(counts_right<Lock>(contended));
  return last_launch_counts()["poll_global"];
}

TEST(backoff, saves_polls) {
  const double polling = polls<ttas_lock<scope::device, no_backoff>>();
  const double sleeping = polls<ttas_lock<scope::device, exponential_backoff<32, 2048>>>();
  EXPECT_LT(2 * sleeping, polling);
  const double in_line = polls<ticket_lock<scope::device, no_backoff>>();
  const double asleep = polls<ticket_lock<scope::device, proportional_backoff<500, 65536>>>();
  EXPECT_LT(2 * asleep, in_line);
  const double by_line = polls<array_lock<scope::device, no_backoff, 4>>();
  const double by_distance =
      polls<array_lock<scope::device, proportional_backoff<500, 65536>, 4>>();
  EXPECT_LT(2 * by_distance, by_line);
}

/// Takes its whole ticket as its distance from the front.
template <class Backoff>
class oversleeping_array : public array_lock<scope::device, Backoff, 4> {
 public:
  using right = array_lock<scope::device, Backoff, 4>;
  using right::right;
  __device__ void wait(typename right::acquisition& r) { r.backoff.wait(r.ticket); }
};

/// Sleeps of a run. No thread is ever far from the front.
template <class Lock>
double sleeps_near_the_front() {
  const lock_load few{.blocks = 4, .threads_per_block = 4, .locks = 1, .rounds = 4};
  EXPECT_TRUE(counts_right<Lock>(few));
  return last_launch_counts()["sleep"];
}

// Each sleep there may be one more hand-off that takes its time.
TEST(backoff, by_distance_lets_nobody_sleep_near_the_front) {
  using by_distance = proportional_backoff<500, 65536>;
  EXPECT_EQ((sleeps_near_the_front<array_lock<scope::device, by_distance, 4>>()), 0);
  EXPECT_GT((sleeps_near_the_front<oversleeping_array<by_distance>>()), 0);
}

template <class Lock>
double nominal_ns() {
  const lock_load contended{.blocks = 4, .threads_per_block = 64, .locks = 1, .rounds = 4};
  EXPECT_TRUE(counts_right<Lock>(contended));
  return static_cast<double>(simt::last_launch().nominal_ns);
}

// On the executor polls delay no other thread, so a sleeping waiter cannot be faster.
TEST(backoff, by_distance_wakes_in_time) {
  const double polling = nominal_ns<array_lock<scope::device, no_backoff, 4>>();
  using by_distance = proportional_backoff<500, 65536>;
  EXPECT_LT((nominal_ns<array_lock<scope::device, by_distance, 4>>()), 1.25 * polling);
  EXPECT_GT(nominal_ns<oversleeping_array<by_distance>>(), 1.25 * polling);
}

}  // namespace
}  // namespace finesync::test::waiting_test
