// The order of threads: all of them run, in an order that the seed determines.
#include "litmus.hpp"

#include <finesync/device/ptx/sleep.cuh>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

namespace simt_test::schedule_test {
namespace {

constexpr unsigned blocks = 4;
constexpr unsigned threads_per_block = 48;
constexpr unsigned all_threads = blocks * threads_per_block;
constexpr unsigned rounds = 3;

/// Every thread enters its number in a list, a few times.
__global__ void sign_list(cell32* signed_so_far, cell32* list) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned round = 0; round < rounds; ++round) {
    list[device_ref(*signed_so_far).fetch_add(1, memory_order::relaxed)] = me;
  }
  __syncthreads();
}

/// All observations of a run.
struct trace {
  std::vector<std::uint32_t> list;
  std::map<std::string, double> counts;
  std::uint64_t nominal_ns = 0;
  bool operator==(const trace&) const = default;
};

trace run_under(const simt::settings& s) {
  const simt::scoped_settings use(s);
  const auto [count, list] =
      words_after(sign_list, {.blocks = blocks, .threads_per_block = threads_per_block},
                  {1, all_threads * rounds});
  return {list, simt::last_launch().counts.by_name(), simt::last_launch().nominal_ns};
}

void expect_every_thread_three_times(std::vector<std::uint32_t> list) {
  std::sort(list.begin(), list.end());
  for (unsigned i = 0; i < list.size(); ++i) ASSERT_EQ(list[i], i / rounds);
}

TEST(schedule, random_runs_every_thread) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    expect_every_thread_three_times(run_under(simt::random_schedule(seed)).list);
  }
}

TEST(schedule, round_robin_gives_each_thread_one_operation_in_turn) {
  const std::vector<std::uint32_t> list = run_under(round_robin()).list;
  for (unsigned i = 0; i < list.size(); ++i) ASSERT_EQ(list[i], i % all_threads);
}

simt::settings round_robin_with_races_checked() {
  simt::settings how = round_robin();
  how.check = simt::checking::races;
  return how;
}

TEST(schedule, round_robin_with_races_checked_ends_a_turn_at_each_atomic_access) {
  const std::vector<std::uint32_t> list = run_under(round_robin_with_races_checked()).list;
  for (unsigned i = 0; i < list.size(); ++i) ASSERT_EQ(list[i], i % all_threads);
}

__global__ void wait_by_plain_loads(cell32* word) {
  if (blockIdx.x == 1) *word = 1;
  while (*word == 0) {
  }
}

TEST(schedule, round_robin_with_races_checked_lets_others_run_during_plain_accesses) {
  const simt::scoped_settings use(round_robin_with_races_checked());
  EXPECT_THROW(words_after(wait_by_plain_loads, {.blocks = 2, .threads_per_block = 1}, {1}),
               race_error);
}

TEST(schedule, round_robin_takes_nothing_from_the_seed) {
  EXPECT_EQ(run_under(scheduled(simt::schedule_kind::round_robin, 1)),
            run_under(scheduled(simt::schedule_kind::round_robin, 2)));
}

TEST(schedule, same_seed_gives_the_identical_run) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
      EXPECT_EQ(run_under(simt::random_schedule(seed, memory)),
                run_under(simt::random_schedule(seed, memory)));
    }
  }
}

TEST(schedule, runs_on_other_os_threads_at_the_same_time_are_the_same) {
  constexpr unsigned repeats = 20;
  const simt::settings mine = simt::random_schedule(7, simt::memory_kind::weak);
  const simt::settings other = simt::random_schedule(8, simt::memory_kind::weak);
  std::vector<trace> of_mine(repeats);
  std::vector<trace> of_other(repeats);
  const auto repeat = [](const simt::settings& s, std::vector<trace>& traces) {
    for (trace& t : traces) t = run_under(s);
  };
  std::thread first(repeat, mine, std::ref(of_mine));
  std::thread second(repeat, other, std::ref(of_other));
  first.join();
  second.join();
  EXPECT_EQ(of_mine, std::vector<trace>(repeats, run_under(mine)));
  EXPECT_EQ(of_other, std::vector<trace>(repeats, run_under(other)));
}

TEST(schedule, different_seeds_give_different_interleavings) {
  std::set<std::vector<std::uint32_t>> lists;
  for (unsigned seed = 1; seed <= 20; ++seed)
    lists.insert(run_under(simt::random_schedule(seed)).list);
  EXPECT_EQ(lists.size(), 20u);
}

// An entry is an addition and a store. So in four turns all other threads make two entries each,
// and a third while the thread makes the store of its first.
constexpr unsigned others = all_threads - 1;

TEST(schedule, a_preempted_thread_stands_aside_for_so_many_turns) {
  simt::settings how = round_robin();
  how.preempted = {.after_turn = 1, .length = 4 * others};
  const std::vector<std::uint32_t> list = run_under(how).list;
  EXPECT_EQ(list[0], 0u);
  EXPECT_EQ(std::find(list.begin() + 1, list.end(), 0u) - list.begin(), 1 + 3 * others);
  expect_every_thread_three_times(list);
}

TEST(schedule, a_preempted_thread_goes_on_when_nobody_else_can) {
  simt::settings how = round_robin();
  how.preempted = {.after_turn = 1, .length = ~std::uint64_t{0} / 2};
  const std::vector<std::uint32_t> list = run_under(how).list;
  EXPECT_EQ(list[0], 0u);
  // The other threads of its block reach the barrier, those of other blocks their end.
  EXPECT_EQ(list[list.size() - 2], 0u);
  EXPECT_EQ(list[list.size() - 1], 0u);
  expect_every_thread_three_times(list);
}

/// One thread polls twice; another sleeps long, and then writes.
__global__ void look_and_sleep(cell32* word, cell32* seen) {
  if (blockIdx.x == 0) {
    seen[0] = device_ref(*word).load(memory_order::relaxed);
    seen[1] = device_ref(*word).load(memory_order::relaxed);
  } else {
    sleep_ns(100'000);
    device_ref(*word).store(1, memory_order::relaxed);
  }
}

TEST(schedule, a_preempted_thread_stands_aside_while_others_sleep) {
  simt::settings how = round_robin();
  how.preempted = {.after_turn = 1, .length = 100};
  const simt::scoped_settings use(how);
  EXPECT_EQ(words_after(look_and_sleep, two_blocks, {1, 2})[1], (std::vector<std::uint32_t>{0, 1}));
}

TEST(schedule, turns_of_other_lanes_need_not_count) {
  simt::settings how = round_robin();
  how.preempted = {.after_turn = 2, .length = 4 * others, .lanes = 1};
  const std::vector<std::uint32_t> list = run_under(how).list;
  // The second turn of a first lane is that of thread 32.
  const auto first = std::find(list.begin(), list.end(), 32u);
  EXPECT_GT(std::find(first + 1, list.end(), 32u) - first, 2 * others);
  expect_every_thread_three_times(list);
}

/// The share of entries that follow one of the same thread.
double of_the_same_as_before(const std::vector<std::uint32_t>& list) {
  unsigned same = 0;
  for (std::size_t i = 1; i < list.size(); ++i) same += list[i] == list[i - 1];
  return same / static_cast<double>(list.size());
}

TEST(schedule, some_seeds_have_long_bursts_and_others_none) {
  double least = 1;
  double most = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const double same = of_the_same_as_before(run_under(simt::random_schedule(seed)).list);
    least = std::min(least, same);
    most = std::max(most, same);
  }
  EXPECT_LT(least, 0.05);
  EXPECT_GT(most, 0.5);
}

TEST(schedule, settings_of_one_os_thread_are_not_those_of_another) {
  const simt::scoped_settings use(simt::random_schedule(99));
  std::uint64_t elsewhere = 0;
  std::thread([&] { elsewhere = simt::current_settings().seed; }).join();
  EXPECT_EQ(elsewhere, simt::settings{}.seed);
}

constexpr unsigned warm_up = 8;

/// Increments a counter, at some time in a longer run.
template <bool IsAtomic>
__global__ void add_one(cell32* counter, cell32* scratch) {
  for (unsigned i = 0; i < warm_up * blockIdx.x; ++i) scratch[far * blockIdx.x] = i;
  if constexpr (IsAtomic) {
    device_ref(*counter).fetch_add(1, memory_order::relaxed);
  } else {
    *counter = *counter + 1;
  }
}

template <bool IsAtomic>
bool loses_an_update() {
  constexpr unsigned adders = 3;
  return words_after(add_one<IsAtomic>, {.blocks = adders, .threads_per_block = 1},
                     {1, adders * far})[0][0] != adders;
}

TEST(schedule, random_finds_a_lost_update_that_round_robin_does_not_have) {
  EXPECT_FALSE(loses_an_update<false>());
  const unsigned losing = wrong_seeds(48, simt::memory_kind::strong, loses_an_update<false>);
  EXPECT_GT(losing, 0u);
  EXPECT_LT(losing, 48u);
}

TEST(schedule, atomic_addition_loses_nothing) {
  EXPECT_EQ(wrong_seeds(48, simt::memory_kind::strong, loses_an_update<true>), 0u);
}

}  // namespace
}  // namespace simt_test::schedule_test
