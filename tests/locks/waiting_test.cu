// Waiting: in what order, at what cost, and how a wait ends that has no end.
#include "all_locks.hpp"
#include "exploration.hpp"

namespace finesync::test {
namespace {

/// Every thread notes, over all its acquisitions, the most entries by others that came between its
/// place in the queue (or its first try) and its own.
template <class Lock>
__global__ void note_bypasses(lock_table_ref<Lock> locks, cell<std::uint32_t>* entered,
                              cell<std::uint32_t>* bypasses, unsigned rounds) {
  std::uint32_t most = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    Lock lock = locks[0];
    typename Lock::request request = lock.arrive();
    const std::uint32_t before = *entered;
    bool inside = lock.enter(request);
    while (!inside) {
      lock.wait(request);
      inside = lock.enter(request);
    }
    const std::uint32_t now = *entered;
    *entered = now + 1;
    lock.leave(request);
    if (now - before > most) most = now - before;
  }
  bypasses[blockIdx.x * blockDim.x + threadIdx.x] = most;
}

constexpr unsigned threads = 16;

template <class Lock>
std::uint32_t most_bypasses(unsigned seeds) {
  std::uint32_t most = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    simt::settings how;
    how.schedule = simt::schedule_kind::random;
    how.seed = seed;
    simt::scoped_settings scoped(how);
    lock_table<Lock> locks(1, lock_spacing::packed);
    buffer<std::uint32_t> entered(1);
    buffer<std::uint32_t> bypasses(threads);
    entered.fill_bytes(0);
    launch_cooperative(note_bypasses<Lock>, {2, threads / 2}, locks.ref(),
                       entered.as<cell<std::uint32_t>>(), bypasses.as<cell<std::uint32_t>>(), 16u);
    for (const std::uint32_t count : bypasses.to_host()) most = std::max(most, count);
  }
  return most;
}

// First come, first served: each other thread goes at most once before me.
TEST(queues, serve_in_order) {
  EXPECT_LT((most_bypasses<ticket_lock<scope::device, no_backoff>>(200)), threads);
  EXPECT_LT((most_bypasses<ring_lock<scope::device, no_backoff, 4>>(200)), threads);
}

TEST(queues, are_told_from_a_lock_that_does_not) {
  EXPECT_GE((most_bypasses<ordered_spin_lock<scope::device>>(200)), threads);
}

/// Thread 0 enters and never leaves: it returns inside the section's stead.
template <class Lock>
__global__ void hold_for_ever(lock_table_ref<Lock> locks, watchdog_ref dog) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    typename Lock::request request = locks[0].arrive();
    while (!locks[0].enter(request)) locks[0].wait(request);
    return;
  }
  run_exclusive(
      locks[0], [] {}, dog);
}

template <class Lock>
class abandoned : public ::testing::Test {};
using device_locks_without_groups =
    ::testing::Types<spin_lock<scope::device>, ordered_spin_lock<scope::device>,
                     backoff_lock<scope::device, exponential_backoff<32, 2048>>,
                     ticket_lock<scope::device, proportional_backoff<500, 65536>>,
                     ring_lock<scope::device, proportional_backoff<500, 65536>, 4>>;
TYPED_TEST_SUITE(abandoned, device_locks_without_groups, lock_names);

TYPED_TEST(abandoned, lock_ends_by_the_watchdog) {
  lock_table<TypeParam> locks(1, lock_spacing::packed);
  watchdog dog(1'000'000);  // 1 nominal ms: earlier than the executor's own patience
  try {
    launch_cooperative(hold_for_ever<TypeParam>, {2, 8}, locks.ref(), dog.ref());
    EXPECT_TRUE(dog.fired());
  } catch (const stuck_error& report) {
    EXPECT_NE(std::string(report.what()).find("livelock"), std::string::npos);
  }
}

template <class Lock>
double polls() {
  const workshop crowd{.blocks = 4, .threads_per_block = 64, .locks = 1, .rounds = 2};
  EXPECT_TRUE(counts_right<Lock>(crowd));
  return last_launch_counts()["poll_global"];
}

TEST(backoff, saves_polls) {
  const double looking = polls<backoff_lock<scope::device, no_backoff>>();
  const double sleeping = polls<backoff_lock<scope::device, exponential_backoff<32, 2048>>>();
  EXPECT_LT(2 * sleeping, looking);
  const double in_line = polls<ticket_lock<scope::device, no_backoff>>();
  const double asleep = polls<ticket_lock<scope::device, proportional_backoff<500, 65536>>>();
  EXPECT_LT(2 * asleep, in_line);
}

}  // namespace
}  // namespace finesync::test
