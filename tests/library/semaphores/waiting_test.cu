// Waiting: its order, its cost, and the timeout of an endless wait.
#include "load_kernels.cuh"

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::waiting_test {
namespace {

/// The first thread of each block is a writer. It records the most entries by others between its
/// enqueue (or its first try) and its own entry.
template <class Semaphore>
__global__ void note_bypasses(Semaphore semaphore, unsigned size, cell<std::uint32_t>* entered,
                              cell<std::uint32_t>* bypasses, unsigned rounds) {
  const atomic_ref<std::uint32_t, scope::device> entries(*entered);
  const bool writes = threadIdx.x == 0;
  std::uint32_t most = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    auto acquisition = semaphore.enqueue(writes ? size : 1);
    const std::uint32_t before = entries.load(memory_order::relaxed);
    while (!semaphore.try_enter(acquisition)) semaphore.wait(acquisition);
    const std::uint32_t now = entries.fetch_add(1, memory_order::relaxed);
    while (!semaphore.leave(acquisition)) semaphore.wait(acquisition);
    if (writes && now - before > most) most = now - before;
  }
  if (writes) bypasses[blockIdx.x] = most;
}

constexpr unsigned blocks = 4;
constexpr unsigned threads = 4 * blocks;

template <class Semaphore>
std::uint32_t max_bypasses(unsigned size) {
  std::uint32_t most = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const simt::scoped_settings scoped(simt::random_schedule(seed));
    const Semaphore semaphore(size);
    const auto entered = zeroed(1);
    const buffer<std::uint32_t> bypasses(blocks);
    launch_cooperative(note_bypasses<decltype(semaphore.ref())>, {blocks, threads / blocks},
                       semaphore.ref(), size, entered.device_data(), bypasses.device_data(), 8u);
    most = std::max(most, largest_of(bypasses));
  }
  return most;
}

// First come, first served: each other thread enters at most once before a writer.
TEST(ticket_semaphores, serve_in_order) {
  for (const unsigned size : {1u, 3u, 10u})
    EXPECT_LT((max_bypasses<ticket_semaphore<no_backoff, 4>>(size)), threads) << size;
}

TEST(ticket_semaphores, are_told_from_one_that_does_not) {
  EXPECT_GE(max_bypasses<cas_semaphore<no_backoff>>(3), threads);
}

/// Device-wide atomics of one run of the load, in which no operation fails twice.
template <class Semaphore>
double atomics(unsigned size, bool counted = false) {
  const semaphore_load load{.size = size, .rounds = 5, .counted = counted};
  EXPECT_TRUE(serves_all<Semaphore>(load));
  return last_launch_counts()["rmw_device_global"];
}

TEST(ticket_semaphores, never_retry) {
  // Per acquisition: one addition to enqueue, and one in the section; a thread adds one at its end.
  // A holder of all permits leaves by a store.
  EXPECT_EQ((atomics<ticket_semaphore<no_backoff>>(1)), threads * (5 * 2 + 1));
}

/// Thread 0 enters with all permits and never leaves. \param found the sections that ran then.
template <class Semaphore>
__global__ void hold_for_ever(Semaphore semaphore, unsigned size, cell<std::uint32_t>* found,
                              watchdog_ref watchdog) {
  const atomic_ref<std::uint32_t, scope::device> held(found[0]);
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    auto acquisition = semaphore.enqueue(size);
    while (!semaphore.try_enter(acquisition)) semaphore.wait(acquisition);
    held.store(1, memory_order::relaxed);
    return;
  }
  run_with_permits(
      semaphore, 1 + threadIdx.x % 2,
      [&] {
        if (held.load(memory_order::relaxed) != 0) found[1] = 1u;
      },
      watchdog);
}

template <class Semaphore>
class abandoned : public ::testing::Test {};
using sleepy_semaphores =
    tested_types<test_types_semaphores_names, spin_semaphore<exponential_backoff<32, 1024>>,
                 priority_semaphore<exponential_backoff<32, 1024>>,
                 spin_printed_semaphore<steps_by_role>, priority_printed_semaphore<steps_by_role>,
                 cas_semaphore<exponential_backoff<64, 4096>>, ticket_semaphore<>>;
TYPED_TEST_SUITE(abandoned, sleepy_semaphores, test_types_semaphores_names);

TYPED_TEST(abandoned, semaphore_ends_by_the_watchdog) {
  const TypeParam semaphore(2);
  const auto found = zeroed(2);
  EXPECT_TRUE(is_given_up(hold_for_ever<decltype(semaphore.ref())>, {2, 8}, semaphore, 2u, found));
  EXPECT_EQ(found.to_host()[1], 0u);
}

template <class Semaphore>
double polls() {
  const semaphore_load contended{.blocks = 16, .threads_per_block = 32, .size = 3, .rounds = 2};
  EXPECT_TRUE(serves_all<Semaphore>(contended));
  return last_launch_counts()["poll_global"];
}

TEST(semaphore_backoff, saves_polls) {
  const double polling = polls<cas_semaphore<no_backoff>>();
  const double sleeping = polls<cas_semaphore<exponential_backoff<64, 4096>>>();
  EXPECT_LT(2 * sleeping, polling);
  const double in_line = polls<ticket_semaphore<no_backoff>>();
  const double asleep = polls<ticket_semaphore<>>();
  EXPECT_LT(2 * asleep, in_line);
}

}  // namespace
}  // namespace finesync::test::waiting_test
