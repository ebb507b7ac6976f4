// One preemption at every step of a small run: a preempted thread must not break the others.
#include "counter_kernels.cuh"

#include <tests/catalogue/locks.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::preemption_test {
namespace {

constexpr std::uint64_t turns = 1000;
constexpr std::uint64_t length = 2000;

template <class Lock>
class preempted_locks : public ::testing::Test {};
TYPED_TEST_SUITE(preempted_locks, test_types_locks, test_types_locks_names);

TYPED_TEST(preempted_locks, lose_no_update) {
  const lock_load few{.blocks = 3, .threads_per_block = 2, .locks = 1, .rounds = 3};
  EXPECT_EQ(failing_preemptions(turns, length, [&] { return counts_right<TypeParam>(few); }), 0u);
}

/// Tests, then sets, in two adjacent steps.
class two_step_lock : public tas_lock<scope::device> {
 public:
  explicit two_step_lock(state& s) : tas_lock(s), held_(s.held) {}
  bool try_enter(acquisition&) {
    if (held_.load(memory_order::acquire) != 0) return false;
    held_.store(1, memory_order::release);
    return true;
  }

 private:
  atomic_ref<std::uint32_t, scope::device> held_;
};

TEST(preempted, two_step_lock_is_rejected) {
  const lock_load few{.blocks = 3, .threads_per_block = 1, .locks = 1, .rounds = 3};
  EXPECT_GT(failing_preemptions(turns, length, [&] { return counts_right<two_step_lock>(few); }),
            0u);
}

/// Every cohort records the most sections of other cohorts between two batches of its own, while
/// one of its threads was waiting.
template <class Lock>
__global__ void note_overtaking(lock_table_ref<Lock> locks, cell<std::uint32_t>* entered,
                                cell<std::uint32_t>* last_entry, cell<std::uint32_t>* overtaken,
                                unsigned rounds, watchdog_ref watchdog) {
  auto& mine = shared_storage<slots<Lock>>();
  mine.open();
  Lock lock = mine.lock(locks, 0);
  no_observer observer;
  for (unsigned i = 0; i < rounds; ++i) {
    typename Lock::acquisition acquisition = lock.enqueue();
    const bool was_waited_for = !acquisition.local.is_first;
    if (!enter_exclusive(lock, acquisition, watchdog, observer)) break;
    const std::uint32_t before = *entered;
    if (acquisition.section == 1 && was_waited_for) {
      const std::uint32_t others = before - last_entry[cluster_index()];
      if (others > overtaken[cluster_index()]) overtaken[cluster_index()] = others;
    }
    *entered = before + 1;
    last_entry[cluster_index()] = before + 1;
    if (!leave_exclusive(lock, acquisition, watchdog)) break;
  }
  mine.close();
}

// A cohort that has used up its batch enqueues again before another cohort can. Only a preemption
// that lasts for several batches of the others reveals a cohort that does not.
TEST(cohorts, queue_up_again_before_they_let_go) {
  constexpr unsigned blocks = 3;  // each block is a cohort
  using lock = cohort_lock<scope::device, no_backoff, 4, small_batch, 2>;
  const auto nobody_is_overtaken_twice = [] {
    const lock_table<lock> locks(1, lock_layout::packed);
    const auto overtaken = zeroed(blocks);
    ends(note_overtaking<lock>,
         {.blocks = blocks, .threads_per_block = 2, .shared_bytes = sizeof(slots<lock>)}, locks,
         zeroed(1), zeroed(blocks), overtaken, 8u);
    return largest_of(overtaken) <= (blocks - 1) * small_batch;
  };
  EXPECT_EQ(failing_preemptions(5 * turns, length, nobody_is_overtaken_twice), 0u);
}

}  // namespace
}  // namespace finesync::test::preemption_test
