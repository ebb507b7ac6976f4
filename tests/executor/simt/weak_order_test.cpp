// Order in weak memory by barriers, and what a thread has acquired for others.
#include "litmus.hpp"

#include <finesync/device/shared_storage.cuh>

namespace simt_test::weak_order_test {
namespace {

constexpr unsigned data_at = 0;
constexpr unsigned flag_at = far;
constexpr unsigned second_flag_at = 2 * far;
constexpr unsigned words = 3 * far;

bool sees_too_little(void (*kernel)(cell32*, cell32*), const launch_shape& shape) {
  return goes_wrong(kernel, shape, words);
}

__device__ void await(cell32& flag) {
  while (device_ref(flag).load(memory_order::acquire) == 0) {
  }
}

/// Thread 0 writes, the barrier passes that to thread 32, which publishes it to the other block.
template <scope Release>
__global__ void publish_for_another(cell32* memory, cell32* wrong) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) memory[data_at] = 1;
    __syncthreads();
    if (threadIdx.x == 32) {
      atomic_ref<std::uint32_t, Release>(memory[flag_at]).store(1, memory_order::release);
    }
  } else if (threadIdx.x == 0) {
    await(memory[flag_at]);
    if (memory[data_at] != 1) *wrong = 1;
  }
}

constexpr launch_shape two_blocks_of_two_warps = {.blocks = 2, .threads_per_block = 64};

TEST(weak_order, device_release_publishes_what_a_barrier_handed_over) {
  expect_nothing_breaks(
      [] { return sees_too_little(publish_for_another<scope::device>, two_blocks_of_two_warps); });
}

TEST(weak_order, block_release_does_not_publish_what_a_barrier_handed_over) {
  expect_only_weak_memory_breaks(
      [] { return sees_too_little(publish_for_another<scope::block>, two_blocks_of_two_warps); });
}

/// Every thread reads what its neighbour wrote before the barrier.
template <bool InShared>
__global__ void exchange_at_barrier(cell32* memory, cell32* wrong) {
  cell32* slots = InShared ? &shared_storage<cell32>() : memory;
  for (std::uint32_t round = 1; round <= 4; ++round) {
    slots[threadIdx.x] = round;
    __syncthreads();
    if (slots[(threadIdx.x + 33) % blockDim.x] != round) *wrong = 1;
    __syncthreads();
  }
}

TEST(weak_order, syncthreads_orders_the_threads_of_a_block) {
  expect_nothing_breaks([] { return sees_too_little(exchange_at_barrier<false>, two_warps); });
  expect_nothing_breaks([] {
    return sees_too_little(
        exchange_at_barrier<true>,
        {.blocks = 1, .threads_per_block = 64, .shared_bytes = 64 * sizeof(cell32)});
  });
}

/// Lanes synchronize between write and read: by __syncwarp, which orders memory, or by a vote.
template <bool Ordered>
__global__ void exchange_in_warp(cell32* memory, cell32* wrong) {
  memory[threadIdx.x] = 1;
  if constexpr (Ordered) {
    __syncwarp();
  } else {
    __ballot_sync(full_warp, 1);
  }
  if (memory[(threadIdx.x + 1) % 32] != 1) *wrong = 1;
}

TEST(weak_order, syncwarp_orders_the_lanes_of_a_warp) {
  expect_nothing_breaks([] { return sees_too_little(exchange_in_warp<true>, one_warp); });
}

TEST(weak_order, a_vote_orders_no_memory) {
  expect_only_weak_memory_breaks([] { return sees_too_little(exchange_in_warp<false>, one_warp); });
}

enum class handed { by_nothing, by_vote, by_relaxed_flag, by_flag, by_syncwarp, by_syncthreads };

/// Thread 0 acquires the other block's writes, and thread 1 reads them, ordered by thread 0 or not.
template <handed How>
__global__ void acquire_for_another(cell32* memory, cell32* wrong) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    memory[data_at] = 1;
    device_ref(memory[flag_at]).store(1, memory_order::release);
    return;
  }
  constexpr bool ordered = How == handed::by_flag;
  const block_ref second(memory[second_flag_at]);
  if (threadIdx.x == 1) static_cast<void>(std::uint32_t{memory[data_at]});
  if (threadIdx.x == 0) {
    await(memory[flag_at]);
    second.store(1, ordered ? memory_order::release : memory_order::relaxed);
  }
  if constexpr (How == handed::by_vote) __ballot_sync(full_warp, 1);
  if constexpr (How == handed::by_syncwarp) __syncwarp();
  if constexpr (How == handed::by_syncthreads) __syncthreads();
  if (threadIdx.x != 1) return;
  if constexpr (ordered || How == handed::by_relaxed_flag) {
    while (second.load(ordered ? memory_order::acquire : memory_order::relaxed) == 0) {
    }
  } else if constexpr (How == handed::by_nothing) {
    while (device_ref(memory[flag_at]).load(memory_order::relaxed) == 0) {
    }
  }
  if (memory[data_at] != 1) *wrong = 1;
}

template <handed How>
bool acquired_for_another_in_vain() {
  return sees_too_little(acquire_for_another<How>, {.blocks = 2, .threads_per_block = 32});
}

TEST(weak_order, what_a_thread_acquired_is_for_all_to_whom_it_hands_it_on) {
  expect_nothing_breaks(acquired_for_another_in_vain<handed::by_flag>);
  expect_nothing_breaks(acquired_for_another_in_vain<handed::by_syncwarp>);
  expect_nothing_breaks(acquired_for_another_in_vain<handed::by_syncthreads>);
}

TEST(weak_order, what_a_thread_acquired_is_for_nobody_else) {
  expect_only_weak_memory_breaks(acquired_for_another_in_vain<handed::by_nothing>);
  expect_only_weak_memory_breaks(acquired_for_another_in_vain<handed::by_vote>);
  expect_only_weak_memory_breaks(acquired_for_another_in_vain<handed::by_relaxed_flag>);
}

__global__ void fill(cell32* memory) {
  memory[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x + 1;
}

TEST(weak_order, the_end_of_a_kernel_makes_all_stores_visible) {
  for (unsigned seed = 1; seed <= litmus_seeds; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed, simt::memory_kind::weak));
    const auto [memory] = words_after(fill, two_blocks_of_two_warps, {128});
    for (unsigned i = 0; i < 128; ++i) ASSERT_EQ(memory[i], i / 64 + 1);
  }
}

// Algorithms in which a thread stores and then looks at what another has stored. They need a
// sequentially consistent fence in between; one that releases and acquires lets the look overtake
// the store.

using enum memory_order;

constexpr unsigned rounds = 4;

/// Two raise a flag, and go in if the other one's is down (Dekker). Both may stay out.
template <memory_order Order>
__global__ void go_in_by_flags(cell32* flags, cell32* wrong) {
  const device_ref mine(flags[blockIdx.x * far]);
  const device_ref other(flags[(1 - blockIdx.x) * far]);
  const device_ref inside(flags[2 * far]);
  for (unsigned round = 0; round < rounds; ++round) {
    mine.store(1, relaxed);
    fence<Order, scope::device>();
    if (other.load(relaxed) == 0) {
      fence<acquire, scope::device>();
      if (inside.fetch_add(1, relaxed) != 0) *wrong = 1;
      inside.fetch_add(~0u, relaxed);
    }
    mine.store(0, release);
  }
}

template <memory_order Order>
bool both_are_in() {
  return goes_wrong(go_in_by_flags<Order>, two_blocks, 3 * far);
}

TEST(weak_fence, flags_of_two_exclude_them_if_the_fence_is_sequentially_consistent) {
  expect_nothing_breaks(both_are_in<seq_cst>);
  expect_only_weak_memory_breaks(both_are_in<acq_rel>);
}

/// The filter lock of two (Peterson): who comes last waits.
template <memory_order Order>
__global__ void take_turns(cell32* words, cell32* wrong) {
  const unsigned me = blockIdx.x;
  const device_ref mine(words[me * far]);
  const device_ref other(words[(1 - me) * far]);
  const device_ref last(words[2 * far]);
  const device_ref inside(words[3 * far]);
  for (unsigned round = 0; round < rounds; ++round) {
    mine.store(1, relaxed);
    fence<Order, scope::device>();
    last.exchange(me, acq_rel);
    fence<Order, scope::device>();
    while (other.load(acquire) == 1 && last.load(acquire) == me) {
    }
    if (inside.fetch_add(1, relaxed) != 0) *wrong = 1;
    inside.fetch_add(~0u, relaxed);
    mine.store(0, release);
  }
}

TEST(weak_fence, turns_of_two_exclude_them) {
  expect_nothing_breaks([] { return goes_wrong(take_turns<seq_cst>, two_blocks, 4 * far); });
}

/// A deque of tasks (Chase and Lev; N. M. Le et al., "Correct and Efficient Work-Stealing for Weak
/// Memory Models", PPoPP 2013): the owner takes at the bottom, others steal at the top.
template <memory_order Order>
__global__ void take_and_steal(cell32* words, cell32* wrong) {
  const device_ref top(words[0]);
  const device_ref bottom(words[far]);
  const auto take = [&](std::uint32_t task) {
    if (device_ref(words[(2 + task) * far]).fetch_add(1, relaxed) != 0) *wrong = 1;
  };
  if (blockIdx.x == 0) {
    bottom.store(3, release);
    for (unsigned round = 0; round < 3; ++round) {
      const std::uint32_t below = bottom.load(relaxed) - 1;
      bottom.store(below, relaxed);
      fence<Order, scope::device>();
      std::uint32_t first = top.load(relaxed);
      if (first < below) {
        take(below);
        continue;
      }
      if (first == below && top.compare_exchange(first, first + 1, acq_rel)) take(below);
      bottom.store(below + 1, relaxed);
      break;
    }
    return;
  }
  for (unsigned attempt = 0; attempt < 12; ++attempt) {
    std::uint32_t first = top.load(acquire);
    fence<Order, scope::device>();
    if (first < bottom.load(acquire) && top.compare_exchange(first, first + 1, acq_rel))
      take(first);
  }
}

constexpr unsigned deque_seeds = 2000;

template <memory_order Order>
bool a_task_is_done_twice() {
  return goes_wrong(take_and_steal<Order>, {.blocks = 3, .threads_per_block = 1}, 8 * far);
}

TEST(weak_fence, a_deque_hands_each_task_out_once) {
  EXPECT_EQ(wrong_seeds(deque_seeds, simt::memory_kind::weak, a_task_is_done_twice<seq_cst>), 0u);
  EXPECT_GT(wrong_seeds(deque_seeds, simt::memory_kind::weak, a_task_is_done_twice<acq_rel>), 0u);
}

}  // namespace
}  // namespace simt_test::weak_order_test
