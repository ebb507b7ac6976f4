// CUDA's own atomic functions and fences, and operators of cells: what they compute, and what they
// order.
#include "races.hpp"

namespace simt_test::cuda_atomics_test {
namespace {

constexpr launch_shape two_blocks{.blocks = 2, .threads_per_block = 64};
constexpr std::uint32_t threads = 128;

__global__ void each_function(cell32* words) {
  const std::uint32_t me = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&words[0], 2u);
  atomicSub(&words[1], 3);
  atomicMax(&words[2], me);
  atomicMin(&words[3], me);
  atomicOr(&words[4], 1u << me % 32);
  atomicXor(&words[5], 1u << me % 31);
  atomicAnd(&words[6], 0u);
  atomicInc(&words[7], 5u);
  atomicDec(&words[8], 5u);
  if (atomicCAS(&words[9], 0u, 7u) == 0) atomicAdd(&words[10], 1u);
  if (atomicExch(&words[11], 1u) == 0) atomicAdd_system(&words[12], 1u);
  atomicAdd_block(&words[13 + blockIdx.x], 1u);
}

TEST(cuda_atomics, compute_what_they_do_in_cuda) {
  for (const auto memory : {simt::memory_kind::strong, simt::memory_kind::weak}) {
    const simt::scoped_settings use(simt::random_schedule(5, memory));
    const auto words = words_after(each_function, two_blocks, {15})[0];
    EXPECT_EQ(words, (std::vector<std::uint32_t>{
                         2 * threads, 0u - 3 * threads, threads - 1, 0, 0xffffffff,
                         /* threads 0 to 127, of which 124 pair up four by four */ 0xf, 0,
                         threads % 6, (6 - threads % 6) % 6, 7, 1, 1, 1, 64, 64}));
  }
}

__global__ void add_numbers(cell<float>* single, cell<double>* twice, std::int32_t* raw) {
  atomicAdd(single, 0.5f);
  atomicAdd(twice, 0.25);
  atomicMin(raw, -static_cast<std::int32_t>(threadIdx.x));
}

TEST(cuda_atomics, take_other_numbers_and_plain_pointers) {
  const auto single = buffer<float>::zeroed(1);
  const auto twice = buffer<double>::zeroed(1);
  const auto raw = buffer<std::int32_t>::zeroed(1);
  const simt::scoped_settings use(simt::random_schedule(2));
  launch_cooperative(add_numbers, two_blocks, single.device_data(), twice.device_data(),
                     raw.raw_pointer());
  EXPECT_EQ(single.to_host()[0], 64.0f);
  EXPECT_EQ(twice.to_host()[0], 32.0);
  EXPECT_EQ(raw.to_host()[0], -63);
}

template <bool Fenced>
__global__ void hand_over(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 5;
    if (Fenced) __threadfence();
    atomicExch(&words[far], 1u);
  } else {
    while (atomicAdd(&words[far], 0u) == 0) {
    }
    __threadfence();
    words[2 * far] = words[0] + 1u;
  }
}
__global__ void hand_over_within_block(cell32* words) {
  if (blockIdx.x == 0) {
    words[0] = 5;
    __threadfence_block();
    atomicExch(&words[far], 1u);
  } else {
    while (atomicAdd(&words[far], 0u) == 0) {
    }
    __threadfence_block();
    words[2 * far] = words[0] + 1u;
  }
}

unsigned stale_seeds(body kernel) {
  return wrong_seeds(100, simt::memory_kind::weak, [&] {
    return words_after(kernel, {.blocks = 2, .threads_per_block = 1}, {3 * far})[0][2 * far] != 6;
  });
}

TEST(cuda_fences, order_what_atomics_do_not) {
  EXPECT_EQ(race_of(hand_over<true>, 2), "");
  EXPECT_EQ(stale_seeds(hand_over<true>), 0u);
  expect_race(race_of(hand_over<false>, 2), {"missing: a device-scope release by block 0"});
  EXPECT_GT(stale_seeds(hand_over<false>), 0u);
}

TEST(cuda_fences, of_a_block_order_nothing_between_blocks) {
  expect_race(race_of(hand_over_within_block, 2), {"narrower scope", "device scope"});
  EXPECT_GT(stale_seeds(hand_over_within_block), 0u);
}

__global__ void add_plainly(cell32* words) {
  words[0] += 1u;
}
__global__ void add_atomically(cell32* words) {
  atomicAdd(&words[0], 1u);
}
__global__ void add_within_block(cell32* words) {
  atomicAdd_block(&words[0], 1u);
}

TEST(cuda_atomics, are_atomic_in_their_scope_alone) {
  EXPECT_EQ(race_of(add_atomically, 2), "");
  expect_race(race_of(add_within_block, 2), {"both are atomic; missing: device scope in both"});
}

TEST(cells, add_by_a_load_and_a_store) {
  expect_race(race_of(add_plainly, 2), {"cuda_atomics_test.cpp:", "plain"});
}

__global__ void each_operator(cell32* words) {
  words[0] += 7;
  words[1] -= 1;
  ++words[2];
  words[3] = words[2]++;
  --words[4];
  words[5] = words[4]--;
  words[6] |= 6u;
  words[6] &= 5u;
  words[6] ^= 1u;
  words[6] <<= 2;
  words[6] >>= 1;
  words[7] += words[6] * 3u;
  words[7] %= 10u;
  words[8] = words[7] > 3u ? words[7] : 1u;
  words[9] = words[7] < 3u ? 1u : words[8];
}

TEST(cells, have_the_operators_of_their_type) {
  const simt::scoped_settings use(round_robin());
  const auto words = words_after(each_operator, {.threads_per_block = 1}, {10})[0];
  EXPECT_EQ(words, (std::vector<std::uint32_t>{7, 0u - 1, 2, 1, 0u - 2, 0u - 1, 10, 0, 1, 1}));
}

}  // namespace
}  // namespace simt_test::cuda_atomics_test
