// A waiter that gives up by itself. The others go on as if it had never come.
#include "counter_kernels.cuh"

#include <finesync/device/await.cuh>
#include <finesync/locks/block_lock.cuh>
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/locks/try_exclusive.cuh>
#include <finesync/locks/ttas_lock.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test::try_exclusive_test {
namespace {

static_assert(!abandonable_lock<ticket_lock<scope::device>>);

/// Words that the threads below share.
enum word : unsigned {
  held,      ///< block 0 is inside
  given_up,  ///< block 1 waits no longer
  got_it,    ///< by block 1, while block 0 was inside
  count,     ///< under the lock
  words
};

using flag = atomic_ref<std::uint32_t, scope::device>;

__device__ bool await_flag(cell<std::uint32_t>& what, const watchdog_ref& watchdog) {
  return await(watchdog, awaited::unspecified,
               [&] { return flag(what).load(memory_order::acquire) != 0; });
}

/// A thread for itself.
struct by_thread {
  static constexpr unsigned threads = 1;

  template <class Lock, class Section>
  static bool run(Lock lock, const Section& section, const watchdog_ref& watchdog) {
    return run_exclusive(lock, section, watchdog);
  }
  template <class Lock, class Section>
  static bool attempt(Lock lock, const Section& section, own_limit limit) {
    return try_run_exclusive(lock, section, limit);
  }
};

/// All threads of a block.
struct by_block {
  static constexpr unsigned threads = 33;

  template <class Lock, class Section>
  static bool run(Lock lock, const Section& section, const watchdog_ref& watchdog) {
    return run_block_exclusive(lock, section, watchdog);
  }
  template <class Lock, class Section>
  static bool attempt(Lock lock, const Section& section, own_limit limit) {
    return try_run_block_exclusive(lock, section, limit);
  }
};

/// Block 0 holds the lock until block 1 has given up. Block 1 then comes back and waits, and block
/// 2 waits from the start.
template <class Lock, class Who>
__global__ void give_up_once(lock_table_ref<Lock> locks, cell<std::uint32_t>* told, own_limit limit,
                             watchdog_ref watchdog) {
  const Lock lock = locks[0];
  const auto count_up = [&] {
    if (threadIdx.x == 0) told[count] = told[count] + 1;
  };
  if (blockIdx.x == 0) {
    Who::run(
        lock,
        [&] {
          count_up();
          if (threadIdx.x != 0) return;
          flag(told[held]).store(1, memory_order::release);
          await_flag(told[given_up], watchdog);
        },
        watchdog);
    return;
  }
  if (!await_flag(told[held], watchdog)) return;
  if (blockIdx.x == 1) {
    if (Who::attempt(
            lock, [] {}, limit))
      told[got_it] = 1u;
    __syncthreads();
    if (threadIdx.x == 0) flag(told[given_up]).store(1, memory_order::release);
  }
  Who::run(lock, count_up, watchdog);
}

template <class Lock, class Who>
bool others_go_on(own_limit limit) {
  const lock_table<Lock> locks(1, lock_layout::packed);
  auto told = zeroed(words);
  const bool ended = ends(give_up_once<Lock, Who>, {3, Who::threads}, locks, told, limit);
  const auto seen = told.to_host();
  return ended && seen[got_it] == 0 && seen[count] == 3;
}

template <class Lock>
class giving_up : public ::testing::Test {};
using locks_without_queues =
    ::testing::Types<spin_lock<scope::device>, tas_lock<scope::device>, ttas_lock<scope::device>>;
TYPED_TEST_SUITE(giving_up, locks_without_queues);

constexpr own_limit limits[] = {{0}, {500}};

TYPED_TEST(giving_up, delays_no_other) {
  for (const own_limit limit : limits) {
    expect_right_in_any_memory(40, [&] { return others_go_on<TypeParam, by_thread>(limit); });
    expect_right_in_any_memory(40, [&] { return others_go_on<TypeParam, by_block>(limit); });
  }
}

/// Leaves its ticket in the queue when it gives up.
class leaves_its_ticket : public ticket_lock<scope::device, no_backoff> {
 public:
  using ticket_lock::ticket_lock;
  static constexpr bool may_give_up = true;
};

/// Takes the lock along when it gives up.
class gives_up_with_the_lock : public tas_lock<scope::device> {
 public:
  using tas_lock::tas_lock;
  bool try_enter(acquisition&) { return held_.fetch_add(1, memory_order::acquire) == 0; }
  void leave(acquisition&) { held_.fetch_add(-1u, memory_order::release); }
};

template <class Lock>
void expect_rejected_by_all() {
  expect_rejected(strong, 4, [] { return others_go_on<Lock, by_thread>({0}); });
  expect_rejected(strong, 4, [] { return others_go_on<Lock, by_block>({0}); });
}

TEST(giving_up, with_a_place_left_in_the_queue_is_rejected) {
  expect_rejected_by_all<leaves_its_ticket>();
}

TEST(giving_up, with_the_lock_still_marked_is_rejected) {
  expect_rejected_by_all<gives_up_with_the_lock>();
}

/// Every thread counts, however many attempts that takes.
template <class Lock>
__global__ void count_by_attempts(lock_table_ref<Lock> locks, cell<std::uint32_t>* counter,
                                  watchdog_ref watchdog) {
  bounded_wait wait(watchdog);
  while (!try_run_exclusive(locks[0], count_up{*counter}))
    if (wait.timed_out()) return;
}

template <class Lock>
bool attempts_exclude_each_other() {
  const unsigned threads = 36;
  const lock_table<Lock> locks(1, lock_layout::packed);
  auto counter = zeroed(1);
  return ends(count_by_attempts<Lock>, {2, threads}, locks, counter) &&
         first_of(counter) == 2 * threads;
}

TYPED_TEST(giving_up, excludes_threads_that_got_the_lock) {
  expect_right_in_any_memory(seed_budget(60), attempts_exclude_each_other<TypeParam>);
}

/// An attempt that orders nothing.
class tries_relaxed : public tas_lock<scope::device> {
 public:
  using tas_lock::tas_lock;
  bool try_enter(acquisition&) { return take(memory_order::relaxed); }
};

TEST(giving_up, after_an_attempt_without_acquire_is_rejected) {
  expect_rejected(weak, 200, attempts_exclude_each_other<tries_relaxed>);
}

}  // namespace
}  // namespace finesync::test::try_exclusive_test
