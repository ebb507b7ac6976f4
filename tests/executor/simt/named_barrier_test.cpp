// Named barriers: which threads wait and which do not, what they order, and reports of misuse.
#include "harness.hpp"
#include "races.hpp"

#include <finesync/device/ptx/mbarrier.cuh>
#include <finesync/device/ptx/named_barrier.cuh>
#include <finesync/device/shared_storage.cuh>

namespace simt_test::named_barrier_test {
namespace {

constexpr launch_shape two_warps{
    .blocks = 2, .threads_per_block = 64, .shared_bytes = 64 * sizeof(cell32)};

/// The first warp signals its plain stores and continues; the second waits for it.
__global__ void hand_over(cell32* wrong) {
  auto* const word = reinterpret_cast<cell32*>(shared_bytes());
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    word[lane] = 100 + lane;
    named_barrier_arrive(3, 64);
  } else {
    named_barrier_sync(3, 64);
    if (word[31 - lane] != 131 - lane) *wrong = 1;
  }
}

/// A thread that has not waited reads the stores of threads that wait.
__global__ void hand_back() {
  auto* const word = reinterpret_cast<cell32*>(shared_bytes());
  if (threadIdx.x < 32) {
    named_barrier_arrive(3, 64);
    static_cast<void>(std::uint32_t{word[threadIdx.x]});
  } else {
    word[threadIdx.x - 32] = 1;
    named_barrier_sync(3, 64);
  }
}

TEST(named_barrier, orders_what_those_who_come_did_before_what_those_who_wait_do) {
  const auto goes_wrong = [] { return words_after(hand_over, two_warps, {1})[0][0] != 0; };
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak})
    EXPECT_EQ(wrong_seeds(200, memory, goes_wrong), 0u);
  EXPECT_EQ(race_in(goes_wrong), "");
}

TEST(named_barrier, orders_nothing_for_those_who_only_come) {
  expect_race(race_in([] { launch_cooperative(hand_back, two_warps); }),
              {"shared memory", "races with"});
}

/// Three warps synchronize repeatedly at one barrier; two others at another.
__global__ void meet_often(cell32* counts, cell32* wrong) {
  const bool in_first = threadIdx.x < 96;
  const unsigned number = in_first ? 1 : 2;
  const unsigned threads = in_first ? 96 : 64;
  const block_ref count(counts[number]);
  for (unsigned round = 1; round <= 3; ++round) {
    count.fetch_add(1, memory_order::relaxed);
    named_barrier_sync(number, threads);
    if (count.load(memory_order::relaxed) < round * threads) *wrong = 1;
    named_barrier_sync(number, threads);
  }
}

TEST(named_barrier, opens_when_all_have_come_and_closes_again) {
  const auto goes_wrong = [] {
    return words_after(meet_often, {.threads_per_block = 160}, {3, 1})[1][0] != 0;
  };
  EXPECT_EQ(wrong_seeds(100, simt::memory_kind::weak, goes_wrong), 0u);
}

__global__ void come(unsigned number, unsigned threads, unsigned waiting) {
  if (threadIdx.x < waiting) named_barrier_sync(number, threads);
}

__global__ void disagree() {
  named_barrier_sync(1, threadIdx.x < 32 ? 64 : 96);
}

TEST(named_barrier, that_is_misused_is_reported) {
  using enum simt::fault_kind;
  const launch_shape shape{.threads_per_block = 64};
  expect_stuck(ending_of(come, shape, 5, 64, 32), deadlock,
               {"32 at named barriers", "32 of 64 have come to named barrier 5 of block 0 ("});
  expect_stuck(ending_of(come, shape, 16, 64, 64), misused_barrier, {"barrier 16"});
  expect_stuck(ending_of(come, shape, 1, 40, 64), misused_barrier, {"one of 40 threads"});
  expect_stuck(ending_of(disagree, shape), misused_barrier, {"barrier 1 as one of"});
}

// Number 0 is the barrier of __syncthreads().

/// How a warp comes to the block's barrier.
enum class arrival { by_name, by_number, without_waiting };

/// Each warp writes its word, comes to the barrier, and reads the others' if it has waited.
template <arrival First, arrival Second, arrival Third>
__global__ void meet_in_three_ways(cell32* wrong) {
  auto* const word = reinterpret_cast<cell32*>(shared_bytes());
  constexpr arrival hows[] = {First, Second, Third};
  const unsigned warp = threadIdx.x / 32;
  const arrival how = hows[warp];
  if (threadIdx.x % 32 == 0) word[warp] = 7 + warp;
  bool voted = true;
  if (how == arrival::by_name) voted = __syncthreads_or(warp == 1) != 0;
  if (how == arrival::by_number) named_barrier_sync(0, 96);
  if (how == arrival::without_waiting) {
    named_barrier_arrive(0, 96);
    return;
  }
  for (unsigned other = 0; other < 3; ++other)
    if (word[other] != 7 + other || !voted) *wrong = 1;
}

constexpr launch_shape three_warps{
    .blocks = 2, .threads_per_block = 96, .shared_bytes = 64 * sizeof(cell32)};

void expect_to_meet(void (*kernel)(cell32*)) {
  const auto goes_wrong = [kernel] { return words_after(kernel, three_warps, {1})[0][0] != 0; };
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak})
    EXPECT_EQ(wrong_seeds(50, memory, goes_wrong), 0u);
  EXPECT_EQ(race_in(goes_wrong), "");
}

TEST(named_barrier, of_number_0_is_that_of_syncthreads) {
  using enum arrival;
  expect_to_meet(meet_in_three_ways<by_name, by_name, by_name>);
  expect_to_meet(meet_in_three_ways<by_number, by_name, by_number>);
  expect_to_meet(meet_in_three_ways<without_waiting, by_name, by_number>);
  expect_to_meet(meet_in_three_ways<by_number, by_number, without_waiting>);
}

__global__ void one_warp_by_number() {
  if (threadIdx.x < 32)
    named_barrier_sync(0, 64);
  else
    __syncthreads();
}

/// A block of 40 threads has two warps, and the second counts as whole.
__global__ void meet_in_part_of_a_warp(cell32* wrong) {
  auto* const word = reinterpret_cast<cell32*>(shared_bytes());
  word[threadIdx.x] = threadIdx.x;
  named_barrier_sync(0, 64);
  if (word[39 - threadIdx.x] != 39 - threadIdx.x) *wrong = 1;
}

TEST(named_barrier, of_number_0_takes_the_whole_block_beside_syncthreads) {
  expect_stuck(ending_of(one_warp_by_number, three_warps), simt::fault_kind::misused_barrier,
               {"barrier 0", "number 0 is the barrier of __syncthreads()"});
  const launch_shape part{.threads_per_block = 40, .shared_bytes = 40 * sizeof(cell32)};
  EXPECT_EQ(words_after(meet_in_part_of_a_warp, part, {1})[0][0], 0u);
}

TEST(named_barrier, is_counted) {
  words_after(hand_over, two_warps, {1});
  EXPECT_EQ(simt::last_launch().counts.by_name().at("named_barrier"), 128.0);
}

// What a report of threads that wait for ever says of them: where they wait, for what, how much of
// it is there, and the state of each thread that could end it.

using enum memory_order;
using simt::fault_kind;

void take(cell32& lock) {
  for (std::uint32_t expected = 0; !device_ref(lock).compare_exchange(expected, 1, acquire);)
    expected = 0;
}

void wait_until(cell32& word, std::uint32_t value) {
  while (device_ref(word).load(acquire) != value) {
  }
}

constexpr launch_shape two_blocks{.blocks = 2, .threads_per_block = 1};

/// Two locks in two orders.
__global__ void take_crosswise(cell32* locks) {
  take(locks[blockIdx.x * far]);
  take(locks[(1 - blockIdx.x) * far]);
}

TEST(who_waits, a_cycle_of_locks) {
  expect_stuck(
      ending_of(take_crosswise, two_blocks, {2 * far}), fault_kind::livelock,
      {"1 poll buffer 1 (64 x unsigned int) + 0x0 (element 0), which holds 1 (last written by "
       "block 0, thread 0, which polls buffer 1 (64 x unsigned int) + 0x80 (element 32)): block 1, "
       "thread 0 (named_barrier_test.cpp:",
       "1 poll buffer 1 (64 x unsigned int) + 0x80 (element 32), which holds 1 (last written by "
       "block 1, thread 0, which polls buffer 1 (64 x unsigned int) + 0x0 (element 0)): block 0, "
       "thread 0 (named_barrier_test.cpp:"});
}

/// The holder takes the lock again.
__global__ void take_twice(cell32* lock) {
  take(*lock);
  take(*lock);
}

TEST(who_waits, the_holder_itself) {
  expect_stuck(ending_of(take_twice, {.threads_per_block = 1}, {1}), fault_kind::livelock,
               {"(last written by block 0, thread 0, which is one of those who poll it)"});
}

__global__ void keep(cell32* lock) {
  take(*lock);
}

TEST(who_waits, for_a_holder_that_has_ended) {
  expect_stuck(ending_of(keep, two_blocks, {1}), fault_kind::livelock,
               {"(last written by block 0, thread 0, which has ended)"});
}

/// The holder waits in another way.
enum class place { barrier, named_barrier, collective };

template <place Where>
__global__ void hold_and_wait(cell32* lock) {
  if (threadIdx.x == 32) {
    take(*lock);
    if (Where == place::named_barrier) named_barrier_sync(2, 64);
    if (Where == place::collective) __syncwarp();
    if (Where == place::barrier) __syncthreads();
  } else {
    wait_until(*lock, 2);
  }
}

TEST(who_waits, for_a_holder_that_waits_elsewhere) {
  const launch_shape shape{.threads_per_block = 64};
  expect_stuck(ending_of(hold_and_wait<place::barrier>, shape, {1}), fault_kind::livelock,
               {"(last written by block 0, thread 32, which waits at __syncthreads())",
                "1 of 64 have come to __syncthreads() of block 0 (named_barrier_test.cpp:"});
  expect_stuck(ending_of(hold_and_wait<place::named_barrier>, shape, {1}), fault_kind::livelock,
               {"which waits at a named barrier)",
                "1 of 64 have come to named barrier 2 of block 0 (named_barrier_test.cpp:"});
  expect_stuck(ending_of(hold_and_wait<place::collective>, shape, {1}), fault_kind::livelock,
               {"which waits at a warp collective)",
                "lanes 0x1 wait for lanes 0xfffffffe of the warp of block 0, thread 32 ("});
}

/// One arrival of 64 is missing in the second phase.
__global__ void miss_an_arrival() {
  auto& barrier = shared_storage<mbarrier>();
  if (threadIdx.x == 0) barrier.init(64);
  __syncthreads();
  for (unsigned phase = 0; phase < 2; ++phase) {
    if (phase == 0 || threadIdx.x != 5) barrier.arrive();
    while (!barrier.has_ended(phase)) {
    }
  }
}

TEST(who_waits, at_an_mbarrier) {
  expect_stuck(
      ending_of(miss_an_arrival, {.threads_per_block = 64, .shared_bytes = sizeof(mbarrier)}),
      fault_kind::livelock,
      {" poll the mbarrier at shared memory +0x0, where 63 of 64 have arrived in phase 1",
       ": first block 0, thread 0 (named_barrier_test.cpp:"});
}

/// A semaphore with one release too few, by which its count goes below zero.
__global__ void take_a_permit_too_many(cell32* permits) {
  device_ref(*permits).fetch_add(~0u, relaxed);
  while ((device_ref(*permits).load(relaxed) >> 31) != 0) {
  }
}

TEST(who_waits, for_a_count_below_zero) {
  expect_stuck(ending_of(take_a_permit_too_many, two_blocks, {1}), fault_kind::livelock,
               {"+ 0x0 (element 0), which holds 4294967294 (-2)"});
}

}  // namespace
}  // namespace simt_test::named_barrier_test
