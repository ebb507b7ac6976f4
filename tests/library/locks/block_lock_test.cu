// A lock that whole blocks hold: all threads of one block are inside, and none of another.
#include "counter_kernels.cuh"

#include <finesync/locks/block_lock.cuh>

#include <tests/catalogue/locks.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::block_lock_test {
namespace {

constexpr unsigned threads = 40;  // a full warp and a part of one

struct with_the_lock {
  template <class Lock, class Section>
  bool operator()(Lock lock, const Section& section, const watchdog_ref& watchdog) const {
    return run_block_exclusive(lock, section, watchdog);
  }
};

/// Every thread takes its neighbour's word, plus one, into its own; all words are equal before and
/// after.
template <class Lock, class Way>
__global__ void turn_round(lock_table_ref<Lock> locks, cell<std::uint32_t>* words, unsigned rounds,
                           watchdog_ref watchdog) {
  auto& mine = shared_storage<slots<Lock>>();
  mine.open();
  const Lock lock = mine.lock(locks, 0);
  const auto section = [&] {
    const std::uint32_t neighbours = words[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    words[threadIdx.x] = neighbours + 1;
  };
  for (unsigned i = 0; i < rounds; ++i)
    if (!Way()(lock, section, watchdog)) break;
  mine.close();
}

template <class Lock, class Way = with_the_lock>
bool blocks_exclude_each_other() {
  const unsigned blocks = 3;
  const unsigned rounds = 3;
  const lock_table<Lock> locks(1, lock_layout::packed, std::size_t{blocks} * threads);
  auto words = zeroed(threads);
  return ends(turn_round<Lock, Way>,
              {.blocks = blocks, .threads_per_block = threads, .shared_bytes = sizeof(slots<Lock>)},
              locks, words, rounds) &&
         all_are(words, blocks * rounds);
}

template <class Lock>
class block_lock : public ::testing::Test {};
TYPED_TEST_SUITE(block_lock, test_types_locks, test_types_locks_names);

TYPED_TEST(block_lock, is_held_by_one_block_at_a_time) {
  if constexpr (exclusive_lock<TypeParam> && !passes_value<TypeParam>) {
    expect_right_in_any_memory(seed_budget(60), blocks_exclude_each_other<TypeParam>);
  } else {
    GTEST_SKIP() << "no lock for a whole block";
  }
}

using tas = tas_lock<scope::device>;

/// The block does not meet after its first thread's entry.
struct enters_one_by_one {
  template <class Section>
  bool operator()(tas lock, const Section& section, const watchdog_ref& watchdog) const {
    tas::acquisition acquisition;
    no_observer observer;
    if (threadIdx.x == 0 && !enter_exclusive(lock, acquisition, watchdog, observer)) return false;
    section();
    __syncthreads();
    if (threadIdx.x == 0) lock.leave(acquisition);
    return true;
  }
};

/// The block does not meet before its first thread leaves.
struct leaves_early {
  template <class Section>
  bool operator()(tas lock, const Section& section, const watchdog_ref& watchdog) const {
    tas::acquisition acquisition;
    no_observer observer;
    bool gave_up = false;
    if (threadIdx.x == 0) gave_up = !enter_exclusive(lock, acquisition, watchdog, observer);
    if (__syncthreads_or(gave_up)) return false;
    section();
    if (threadIdx.x == 0) lock.leave(acquisition);
    return true;
  }
};

TEST(block_lock, that_the_block_does_not_wait_for_is_rejected) {
  expect_rejected(strong, 200, blocks_exclude_each_other<tas, enters_one_by_one>);
}

TEST(block_lock, that_is_released_while_threads_are_inside_is_rejected) {
  expect_rejected(strong, 200, blocks_exclude_each_other<tas, leaves_early>);
}

/// The block's first thread releases for itself alone.
class released_for_its_thread : public tas {
 public:
  explicit released_for_its_thread(state& s) : tas(s) {}
  void leave(acquisition&) { held_.store(0, memory_order::relaxed); }
};

TEST(block_lock, that_is_released_without_the_sections_stores_is_rejected) {
  expect_rejected(weak, 200, blocks_exclude_each_other<released_for_its_thread>);
}

/// Block 0 ends with the lock; all threads of the other one must agree to give up.
__global__ void wait_for_ever(lock_table_ref<tas> locks, cell<std::uint32_t>* inside,
                              watchdog_ref watchdog) {
  if (blockIdx.x == 0) {
    tas::acquisition acquisition;
    tas lock = locks[0];
    if (threadIdx.x == 0)
      while (!lock.try_enter(acquisition)) lock.wait(acquisition);
  } else {
    while (run_block_exclusive(
        locks[0], [] {}, watchdog)) {
    }
    const block_lock_guard held(locks[0], watchdog);
    if (held) inside[threadIdx.x] = 1u;
  }
}

TEST(block_lock, is_given_up_by_all_threads_together) {
  const lock_table<tas> locks(1, lock_layout::packed);
  auto inside = zeroed(threads);
  EXPECT_FALSE(ends(watchdog(1'000'000), wait_for_ever, {2, threads}, locks, inside));
  EXPECT_TRUE(all_are(inside, 0));
}

}  // namespace
}  // namespace finesync::test::block_lock_test
