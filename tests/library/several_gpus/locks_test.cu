// Locks between GPUs. Those of the library of one GPU: one of system scope in the memory of one GPU
// excludes the threads of all, and one of device scope does not. And the locks made for several
// GPUs, on many schedules, in strong and weak memory; broken ones are rejected.
#include "weaker_fences.cuh"

#include <finesync/device/ptx/system_word.cuh>
#include <finesync/locks/array_lock.cuh>
#include <finesync/locks/spin_lock.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/locks/ttas_lock.cuh>
#include <finesync/several_gpus/gpus_cohort_lock.cuh>
#include <finesync/several_gpus/gpus_lock.cuh>
#include <finesync/several_gpus/gpus_lock_table.cuh>
#include <finesync/several_gpus/gpus_queue_lock.cuh>

#include <tests/library/harness/harness.hpp>
#include <tests/library/harness/run_on_gpus.hpp>
#include <tests/library/locks/counter_kernels.cuh>

namespace finesync::test::locks_of_gpus_test {
namespace {

/// Whether no count of the threads of all devices was lost, and every wait ended. The lock and the
/// counter are in the memory of the first.
template <class Lock>
bool counts_right_on(const std::vector<int>& devices) {
  constexpr launch_shape shape{.blocks = 2, .threads_per_block = 2};
  constexpr unsigned rounds = 3;
  const peers all{std::span<const int>(devices)};
  const stream& first = all.stream_of(0);
  const lock_table<Lock> lock(1, lock_layout::padded, first);
  const auto counter = zeroed(1, first);
  all.synchronize();
  return ends_on(all, count_under_locks<Lock>, shape, lock, counter, 1u, rounds, false) &&
         first_of(counter) == devices.size() * shape.blocks * shape.threads_per_block * rounds;
}

struct spin {
  template <scope Scope>
  using lock = spin_lock<Scope>;
};
struct tas {
  template <scope Scope>
  using lock = tas_lock<Scope>;
};
struct ttas {
  template <scope Scope>
  using lock = ttas_lock<Scope, no_backoff>;
};
struct ticket {
  template <scope Scope>
  using lock = ticket_lock<Scope, no_backoff>;
};
struct array {
  template <scope Scope>
  using lock = array_lock<Scope, no_backoff, 4>;
};

template <class Form>
class lock_of_gpus : public ::testing::Test {};
using forms = ::testing::Types<spin, tas, ttas, ticket, array>;
TYPED_TEST_SUITE(lock_of_gpus, forms);

TYPED_TEST(lock_of_gpus, excludes_the_threads_of_all) {
  using lock = typename TypeParam::template lock<scope::system>;
  for (const std::vector<int>& devices :
       {std::vector<int>{0, 1}, std::vector<int>{0, 0}, std::vector<int>{0, 1, 2, 3}}) {
    expect_right_in_any_memory(seed_budget(20), [&] { return counts_right_on<lock>(devices); });
  }
}

TYPED_TEST(lock_of_gpus, of_device_scope_is_rejected) {
  using lock = typename TypeParam::template lock<scope::device>;
  const std::vector<int> two{0, 1};
  const auto count = [&] { return counts_right_on<lock>(two); };
  expect_rejected(weak, 100, count);
  EXPECT_GT(racing_seeds(5, count), 0u);
}

TYPED_TEST(lock_of_gpus, of_device_scope_is_enough_for_two_grids_of_one) {
  using lock = typename TypeParam::template lock<scope::device>;
  const std::vector<int> one{0, 0};
  EXPECT_EQ(failing_seeds(weak, seed_budget(20), [&] { return counts_right_on<lock>(one); }), 0u);
}

// Also where the last GPU has fewer than the others.
TEST(gpus_lock_table, has_room_for_each_lock_on_its_gpu) {
  using lock = tas_lock<scope::system>;
  for (const unsigned gpus : {1u, 2u, 3u})
    for (const unsigned count : {1u, 5u, 6u, 64u}) {
      const peers all(gpus);
      const gpus_lock_table<lock> table(all, count, lock_layout::padded);
      for (unsigned i = 0; i < count; ++i) {
        lock::state& state = table.ref(0).state(i);
        EXPECT_TRUE(simt::global_memory().holds(&state, sizeof state)) << i << " of " << count;
        EXPECT_EQ(&state, &table.of_gpu(i % gpus).state(i / gpus));
      }
    }
}

// Few slots, so that laps follow each other.
template <class Data, class Put = raised_grant>
using queue = gpus_queue_lock<Data, grant_board<4, Put>>;
template <class Data, class Put = raised_grant>
using cohort = basic_gpus_cohort_lock<Data, 4, grant_board<2, Put>>;

/// A lock with few sections in a row, so that GPUs alternate.
template <class Lock>
gpus_lock<Lock> made(const peers& all, unsigned sections) {
  if constexpr (std::is_constructible_v<Lock, symmetric_view, unsigned>)
    return gpus_lock<Lock>(all, sections);
  else
    return gpus_lock<Lock>(all);
}

template <class Lock>
__global__ void count_on_gpus(Lock lock, cell<std::uint32_t>* counter, unsigned rounds,
                              watchdog_ref watchdog) {
  for (unsigned i = 0; i < rounds; ++i)
    if (!(blockDim.x == 1 ? run_exclusive<other_lanes::idle>(lock, count_up{*counter}, watchdog)
                          : run_exclusive(lock, count_up{*counter}, watchdog)))
      return;
}

template <class Lock>
__global__ void put_word(Lock lock, std::uint32_t word) {
  lock.set(word);
}

template <class Lock>
__global__ void get_word(Lock lock, cell<std::uint32_t>* word) {
  *word = lock.get();
}

constexpr launch_shape one_thread{.blocks = 1, .threads_per_block = 1};

struct counting {
  std::vector<int> devices = {0, 1};
  launch_shape shape{.blocks = 2, .threads_per_block = 2};
  unsigned rounds = 3;
  unsigned sections = 2;
  std::uint32_t first = 0;  ///< count at first
};

const counting long_run{.rounds = 12};

/// Whether no count of the threads of all devices was lost, and every wait ended.
template <class Lock>
bool counts_right(const counting& plan, const peers& all, const gpus_lock<Lock>& lock) {
  const stream& first = all.stream_of(0);
  auto counter = zeroed(1, first);
  all.synchronize();
  const bool ended = ends_on(all, count_on_gpus<Lock>, plan.shape, lock, counter, plan.rounds);
  if constexpr (passes_value<Lock>) {
    all.synchronize();
    launch_independent(first, get_word<Lock>, one_thread, lock.ref(0), counter.device_data());
  }
  return ended && first_of(counter) == plan.first + plan.devices.size() * plan.shape.blocks *
                                                        plan.shape.threads_per_block * plan.rounds;
}

template <class Lock>
bool counts_right(const counting& plan) {
  const peers all{std::span<const int>(plan.devices)};
  return counts_right(plan, all, made<Lock>(all, plan.sections));
}

template <class Lock>
void expect_right(const counting& plan, unsigned seeds) {
  expect_right_in_any_memory(seed_budget(seeds), [&] { return counts_right<Lock>(plan); });
}

template <class Lock>
class gpus_locks : public ::testing::Test {};
using gpus_forms = ::testing::Types<queue<fenced_data<>>, queue<carried_word>,
                                    cohort<fenced_data<>>, cohort<carried_word>>;
TYPED_TEST_SUITE(gpus_locks, gpus_forms);

TYPED_TEST(gpus_locks, exclude_the_threads_of_all) {
  expect_right<TypeParam>({}, 20);
  expect_right<TypeParam>({.shape = {.blocks = 2, .threads_per_block = 1}}, 10);
  expect_right<TypeParam>({.devices = {0, 0}}, 10);
  expect_right<TypeParam>({.devices = {0, 1, 2, 3}, .rounds = 2}, 10);
  expect_right<TypeParam>({.devices = {0}}, 5);
}

TYPED_TEST(gpus_locks, go_to_and_fro_at_each_section) {
  expect_right<TypeParam>({.sections = 1}, 10);
  expect_right<TypeParam>({.shape = one_thread, .rounds = 8}, 10);
}

TYPED_TEST(gpus_locks, grant_over_many_laps) {
  expect_right<TypeParam>(long_run, 10);
}

template <class Lock>
class gpus_locks_of_words : public ::testing::Test {};
using forms_of_words = ::testing::Types<queue<carried_word>, cohort<carried_word>>;
TYPED_TEST_SUITE(gpus_locks_of_words, forms_of_words);

TYPED_TEST(gpus_locks_of_words, begin_with_the_word_that_is_set_and_keep_it_from_launch_to_launch) {
  counting plan;
  const peers all{std::span<const int>(plan.devices)};
  const gpus_lock<TypeParam> lock = made<TypeParam>(all, plan.sections);
  for (const std::uint32_t word : {7u, 3u}) {
    plan.first = word;
    launch_independent(all.stream_of(0), put_word<TypeParam>, one_thread, lock.ref(0), word);
    all.synchronize();
    EXPECT_TRUE(counts_right(plan, all, lock));
  }
}

/// Notes whose section each is, in a list of all.
template <class Lock>
__global__ void sign(Lock lock, cell<std::uint32_t>* sections, unsigned me, unsigned rounds,
                     watchdog_ref watchdog) {
  for (unsigned i = 0; i < rounds; ++i) {
    const auto note = [&] {
      sections[0] = sections[0] + 1;
      sections[sections[0]] = me;
    };
    if (!run_exclusive(lock, note, watchdog)) return;
  }
}

/// The most sections of one GPU in a row while the other had some left.
unsigned longest_run(unsigned sections) {
  constexpr launch_shape shape{.blocks = 4, .threads_per_block = 1};
  constexpr unsigned rounds = 8;
  const peers all(2);
  const gpus_lock<cohort<fenced_data<>>> lock(all, sections);
  auto list = zeroed(1 + 2 * shape.blocks * rounds, all.stream_of(0));
  const gpus_watchdog timeout(all);
  all.synchronize();
  launch_together(all.streams(), sign<cohort<fenced_data<>>>, shape, [&](unsigned me) {
    return std::tuple(lock.ref(me), list.device_data(), me, rounds, timeout.ref(me));
  });
  EXPECT_FALSE(timeout.fired());
  const std::vector<std::uint32_t> noted = list.to_host();
  unsigned left[] = {shape.blocks * rounds, shape.blocks * rounds};
  unsigned longest = 0;
  unsigned run = 0;
  for (std::size_t i = 1; i < noted.size(); ++i) {
    --left[noted[i]];
    run = i > 1 && noted[i] == noted[i - 1] ? run + 1 : 1;
    if (left[1 - noted[i]] != 0) longest = std::max(longest, run);
  }
  return longest;
}

TEST(gpus_cohort_lock, stays_on_a_gpu_for_a_number_of_sections) {
  EXPECT_EQ(longest_run(3), 3u);
  EXPECT_EQ(longest_run(8), 8u);
}

TEST(gpus_cohort_lock, refuses_other_numbers_of_sections) {
  const peers all(2);
  EXPECT_THROW(gpus_lock<gpus_cohort_lock>(all, 0u), std::invalid_argument);
  EXPECT_THROW(gpus_lock<gpus_cohort_lock>(all, 256u), std::invalid_argument);
}

/// What the threads of two GPUs do in 8 sections each.
template <class Lock>
simt::counters counts_of(unsigned sections) {
  const counting plan{.rounds = 2, .sections = sections};
  const peers all(2);
  const auto counter = buffer<std::uint32_t>::zeroed(1, all.stream_of(0));
  all.synchronize();
  EXPECT_TRUE(ends_on(all, count_on_gpus<Lock>, plan.shape, made<Lock>(all, plan.sections), counter,
                      plan.rounds));
  return simt::last_launch().counts;
}

constexpr auto in_memory = simt::space::global;
constexpr auto nowhere = simt::space::none;

TEST(gpus_value_passing_lock, grants_on_each_gpu_and_has_no_fence) {
  using enum simt::op_kind;
  const simt::counters counts = counts_of<queue<carried_word>>(1);
  EXPECT_EQ(counts.operations(fetch_add, scope::system, in_memory), 16u);
  EXPECT_EQ(counts.operations(fetch_max, scope::system, in_memory), 2u * 16);
  EXPECT_EQ(counts.operations(fence, scope::system, nowhere), 0u);
}

TEST(gpus_array_lock, has_two_fences) {
  using enum simt::op_kind;
  const simt::counters counts = counts_of<queue<fenced_data<>>>(1);
  EXPECT_EQ(counts.operations(fence, scope::system, nowhere), 2u * 16);
  EXPECT_EQ(counts.operations(fence, scope::device, nowhere), 0u);
}

TEST(gpus_cohort_lock, crosses_once_per_run_of_sections) {
  using enum simt::op_kind;
  const simt::counters carried = counts_of<cohort<carried_word>>(255);
  const std::uint64_t runs = carried.operations(fetch_add, scope::system, in_memory);
  EXPECT_LE(runs, 6u);
  EXPECT_EQ(carried.operations(fetch_max, scope::system, in_memory), 2 * runs);
  EXPECT_EQ(carried.operations(fetch_add, scope::device, in_memory), 16u);
  EXPECT_EQ(carried.operations(fence, scope::system, nowhere), 0u);
  EXPECT_EQ(carried.operations(fence, scope::device, nowhere), 0u);

  const simt::counters fenced = counts_of<cohort<fenced_data<>>>(1);
  EXPECT_EQ(fenced.operations(fetch_add, scope::system, in_memory), 16u);
  EXPECT_EQ(fenced.operations(fence, scope::system, nowhere), 2u * 16);
  EXPECT_EQ(fenced.operations(fence, scope::device, nowhere), 0u);
}

/// Stores a grant.
struct stored_grant {
  static void put(cell<std::uint64_t>& slot, std::uint64_t grant) {
    atomic_ref<std::uint64_t, scope::system>(slot).store(grant, memory_order::relaxed);
  }
};
/// Raises a slot for its own GPU alone.
struct grant_of_device_scope {
  static void put(cell<std::uint64_t>& slot, std::uint64_t grant) {
    atomic_ref<std::uint64_t, scope::device>(slot).fetch_max(grant, memory_order::relaxed);
  }
};

/// The number of schedules in weak memory on which a count is lost, or a thread waits for ever.
template <class Lock>
unsigned failing_in_weak_memory(const counting& plan) {
  return failing_twin_seeds(weak, 300, [&] { return counts_right<Lock>(plan); });
}

// A late store hides the grant of a later lap.
TEST(grants_that_are_stored, are_rejected) {
  EXPECT_GT((failing_in_weak_memory<queue<carried_word, stored_grant>>(long_run)), 0u);
  EXPECT_GT((failing_in_weak_memory<cohort<carried_word, stored_grant>>(long_run)), 0u);
}

TEST(grants_of_device_scope, are_rejected) {
  const auto races = [](auto count) { return racing_seeds(5, count); };
  EXPECT_GT(races([] { return counts_right<queue<carried_word, grant_of_device_scope>>({}); }), 0u);
  EXPECT_GT(races([] { return counts_right<cohort<carried_word, grant_of_device_scope>>({}); }),
            0u);
}

struct passes_without_release : gpus_fences {
  __device__ static void release() {}
};
struct passes_without_acquire : gpus_fences {
  __device__ static void acquire() {}
};
template <class Fences>
class gpus_locks_with : public ::testing::Test {};
TYPED_TEST_SUITE(gpus_locks_with, weaker_crossings);

TYPED_TEST(gpus_locks_with, a_weaker_order_between_gpus_is_rejected) {
  EXPECT_GT((failing_in_weak_memory<queue<fenced_data<TypeParam>>>({})), 0u);
  EXPECT_GT((failing_in_weak_memory<cohort<fenced_data<TypeParam>>>({})), 0u);
}

TEST(gpus_cohort_lock, with_a_weaker_order_within_a_gpu_is_rejected) {
  const counting many_passes{.sections = 8};
  EXPECT_GT((failing_in_weak_memory<cohort<fenced_data<passes_without_release>>>(many_passes)), 0u);
  EXPECT_GT((failing_in_weak_memory<cohort<fenced_data<passes_without_acquire>>>(many_passes)), 0u);
}

}  // namespace
}  // namespace finesync::test::locks_of_gpus_test
