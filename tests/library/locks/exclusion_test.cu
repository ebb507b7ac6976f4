// Mutual exclusion and visibility, over many schedules of each lock; of locks that have been in use
// for long, of those in shared memory, and of every lock by its name; and unsuitable threads.
#include "counter_kernels.cuh"

#include <tests/catalogue/locks.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::exclusion_test {
namespace {

template <class Lock>
unsigned failing(const lock_load& load, simt::memory_kind memory, unsigned seeds) {
  return failing_seeds(memory, seeds, [&] { return counts_right<Lock>(load); });
}

template <class Lock>
class exclusion : public ::testing::Test {};
TYPED_TEST_SUITE(exclusion, test_types_locks, test_types_locks_names);

const unsigned seeds = seed_budget(120);  // of each memory mode

TYPED_TEST(exclusion, loses_no_update_on_random_schedules) {
  EXPECT_EQ(failing<TypeParam>({}, strong, seeds), 0u);
}

TYPED_TEST(exclusion, loses_no_update_in_weak_memory) {
  EXPECT_EQ(failing<TypeParam>({}, weak, seeds), 0u);
}

TYPED_TEST(exclusion, holds_among_threads_that_are_alone_in_their_warps) {
  const lock_load load{.blocks = 3, .threads_per_block = 64, .locks = 1, .single_lane = true};
  EXPECT_EQ(failing<TypeParam>(load, strong, seeds), 0u);
  EXPECT_EQ(failing<TypeParam>(load, weak, seeds), 0u);
}

TYPED_TEST(exclusion, holds_with_one_lock_per_line) {
  EXPECT_EQ(failing<TypeParam>({.layout = lock_layout::padded}, weak, seed_budget(100)), 0u);
}

TYPED_TEST(exclusion, holds_with_more_waiters_than_any_queue_has_places) {
  const lock_load contended{.blocks = 8, .threads_per_block = 64, .locks = 1, .rounds = 1};
  EXPECT_EQ(failing<TypeParam>(contended, weak, seed_budget(4)), 0u);
}

// Passed within clusters, between them, and by more blocks than one cluster has.
TEST(exclusion_of_cohorts, holds_in_clusters_of_several_blocks) {
  for (const unsigned cluster_blocks : {2u, 4u}) {
    const lock_load load{
        .blocks = 4, .threads_per_block = 5, .locks = 1, .cluster_blocks = cluster_blocks};
    EXPECT_EQ(failing<small_cohort>(load, strong, seeds / 2), 0u);
    EXPECT_EQ(failing<small_cohort>(load, weak, seeds), 0u);
    const lock_load single_lane{
        .blocks = 8, .threads_per_block = 64, .locks = 2, .cluster_blocks = 4, .single_lane = true};
    EXPECT_EQ(failing<small_cohort>(single_lane, weak, seed_budget(20)), 0u);
  }
}

TYPED_TEST(exclusion, round_robin_finishes_a_full_small_gpu) {
  EXPECT_TRUE(counts_right<TypeParam>(
      lock_load{.blocks = 32, .threads_per_block = 64, .locks = 4, .rounds = 1}));
}

// X_lock<scope::device> is a lock for every lock X of the catalogue: its other arguments have
// defaults. One thread per block, as some locks are for one.
template <class Lock>
class by_name : public ::testing::Test {};
TYPED_TEST_SUITE(by_name, types_by_name_locks, types_by_name_locks_names);

TYPED_TEST(by_name, counts_right_with_one_thread_per_block) {
  const lock_load load{.blocks = 4, .threads_per_block = 32, .locks = 1, .single_lane = true};
  EXPECT_EQ(failing<TypeParam>(load, weak, 20), 0u);
}

template <class Lock>
class block_scope : public ::testing::Test {};
TYPED_TEST_SUITE(block_scope, test_types_in_block_locks, test_types_in_block_locks_names);

TYPED_TEST(block_scope, loses_no_update_in_shared_memory) {
  const auto right = [] { return counts_right_in_blocks<TypeParam>({}); };
  EXPECT_EQ(failing_seeds(weak, seed_budget(100), right), 0u);
}

// Locks that have been in use for long: their tickets wrap around at 2^32 in the middle of a run.

/// The slots of a ring, as the last tickets before the next have left them.
template <class State>
__device__ void age_slots(State& s, unsigned slots, std::uint32_t next, unsigned shift) {
  for (std::uint32_t i = 0; i < slots; ++i) {
    const std::uint32_t ticket = next - i;
    auto& granted = s.slots[ticket % slots].granted;
    granted = static_cast<std::remove_cvref_t<decltype(+granted)>>(std::uint64_t{ticket} << shift);
  }
}

template <class Lock>
__global__ void age(lock_table_ref<Lock> locks, std::uint32_t next) {
  typename Lock::state& s = locks.state(0);
  if constexpr (requires { s.serving; }) {
    s.next = next;
    s.serving = next;
  } else if constexpr (requires { s.queue; }) {
    s.queue.next = next;
    s.queue.served_hint = next;
    age_slots(s, Lock::slots, next, passes_value<Lock> ? 32 : 0);
  } else {
    s.next = next;
    age_slots(s, Lock::slots, next, 0);
  }
}

template <class Lock>
class old_locks : public ::testing::Test {};
struct old_lock_names : names_of_tested<old_lock_names> {
  static constexpr const char* all[] = {"ticket", "anderson", "array", "value_passing"};
};
using by_distance = proportional_backoff<500, 65536>;
using old_lock_types =
    tested_types<old_lock_names, ticket_lock<scope::device, by_distance>,
                 anderson_lock<scope::device, by_distance, 4>,
                 array_lock<scope::device, by_distance, 4>,
                 value_passing_lock<scope::device, std::uint32_t, by_distance, 4>>;
TYPED_TEST_SUITE(old_locks, old_lock_types, old_lock_names);

TYPED_TEST(old_locks, go_on_after_2_32_tickets) {
  constexpr lock_load load{.blocks = 2, .threads_per_block = 12, .locks = 1, .rounds = 3};
  for (const std::uint32_t before : {0u, 1u, 9u, 30u}) {
    const auto right = [&] {
      const auto locks = locks_for<TypeParam>(load);
      launch_independent(age<TypeParam>, {1, 1}, locks.ref(), 0 - before);
      return counts_right(locks, load);
    };
    EXPECT_EQ(failing_seeds(strong, 25, right), 0u) << before;
  }
}

/// \returns the contract that the launch broke, or nothing.
template <class Lock>
std::string broken_by(const launch_shape& shape, std::size_t threads_with_nodes) {
  const lock_table<Lock> locks(1, lock_layout::packed, threads_with_nodes);
  const auto counter = zeroed(1);
  launch_shape with_slots = shape;
  with_slots.shared_bytes = sizeof(slots<Lock>);
  return refusal_of<std::logic_error>(
      [&] { ends(count_under_locks<Lock>, with_slots, locks, counter, 1u, 1u, false); });
}

TEST(contract, cohort_locks_are_for_the_threads_that_have_places) {
  using lock = cohort_lock<scope::device, no_backoff, 4, small_batch, 2>;
  EXPECT_EQ(broken_by<lock>({2, 2}, 0), "");
  EXPECT_EQ(broken_by<lock>({2, 3}, 0), "cohort_lock: for the first `Threads` threads of a block");
}

TEST(contract, mcs_locks_are_for_the_threads_that_have_nodes) {
  EXPECT_EQ(broken_by<mcs_lock<scope::device>>({2, 3}, 6), "");
  EXPECT_EQ(broken_by<mcs_lock<scope::device>>({2, 3}, 5),
            "mcs_lock: the table was made for fewer threads");
}

}  // namespace
}  // namespace finesync::test::exclusion_test
