// Named barriers: which threads wait and which do not, what they order, and reports of misuse.
#include "races.hpp"

#include <finesync/device/ptx/named_barrier.cuh>
#include <finesync/device/shared_storage.cuh>

#include <vector>

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

}  // namespace
}  // namespace simt_test::named_barrier_test
