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
__global__ void hand_back(cell32* /*wrong*/) {
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
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    EXPECT_EQ(wrong_seeds(200, memory,
                          [] {
                            const buffer<std::uint32_t> wrong = zeroed_words(1);
                            launch_cooperative(hand_over, two_warps, wrong.device_data());
                            return wrong.to_host()[0] != 0;
                          }),
              0u);
  }
  EXPECT_EQ(race_in([] {
              const buffer<std::uint32_t> wrong = zeroed_words(1);
              launch_cooperative(hand_over, two_warps, wrong.device_data());
            }),
            "");
}

TEST(named_barrier, orders_nothing_for_those_who_only_come) {
  const std::string report = race_in([] {
    const buffer<std::uint32_t> wrong = zeroed_words(1);
    launch_cooperative(hand_back, two_warps, wrong.device_data());
  });
  expect_race(report, {"shared memory", "races with"});
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
  EXPECT_EQ(wrong_seeds(100, simt::memory_kind::weak,
                        [] {
                          const buffer<std::uint32_t> counts = zeroed_words(3);
                          const buffer<std::uint32_t> wrong = zeroed_words(1);
                          launch_cooperative(meet_often, {.threads_per_block = 160},
                                             counts.device_data(), wrong.device_data());
                          return wrong.to_host()[0] != 0;
                        }),
            0u);
}

__global__ void come(unsigned number, unsigned threads, unsigned waiting) {
  if (threadIdx.x < waiting) named_barrier_sync(number, threads);
}

ending ending_with(unsigned number, unsigned threads, unsigned waiting) {
  return ending_of(
      [&] { launch_cooperative(come, {.threads_per_block = 64}, number, threads, waiting); });
}

TEST(named_barrier, that_nobody_else_comes_to_is_a_deadlock) {
  expect_stuck(ending_with(5, 64, 32), simt::fault_kind::deadlock, {"32 at named barriers"});
}

TEST(named_barrier, that_does_not_exist_is_reported) {
  expect_stuck(ending_with(16, 64, 64), simt::fault_kind::misused_barrier, {"barrier 16"});
}

TEST(named_barrier, of_a_part_of_a_warp_is_reported) {
  expect_stuck(ending_with(1, 40, 64), simt::fault_kind::misused_barrier, {"one of 40 threads"});
}

__global__ void disagree() {
  named_barrier_sync(1, threadIdx.x < 32 ? 64 : 96);
}

TEST(named_barrier, of_two_numbers_of_threads_is_reported) {
  expect_stuck(ending_of([] { launch_cooperative(disagree, {.threads_per_block = 64}); }),
               simt::fault_kind::misused_barrier, {"barrier 1 as one of"});
}

TEST(named_barrier, is_counted) {
  const buffer<std::uint32_t> wrong = zeroed_words(1);
  launch_cooperative(hand_over, two_warps, wrong.device_data());
  EXPECT_EQ(simt::last_launch().counts.by_name().at("named_barrier"), 128.0);
}

}  // namespace
}  // namespace simt_test::named_barrier_test
