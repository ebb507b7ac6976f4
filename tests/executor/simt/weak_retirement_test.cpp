// The remains of an ended block, in weak memory, when another block takes its place. Its stores to
// global memory are still in flight, and those to its shared memory are gone. Its cached data are
// still in the SM's L1.
#include "litmus.hpp"

#include <finesync/device/shared_storage.cuh>

#include <vector>

namespace simt_test::weak_retirement_test {
namespace {

/// Settings of a GPU with places for `blocks`: the next one begins where the first has ended.
simt::settings with_places_for(int blocks) {
  simt::settings how = simt::current_settings();
  how.gpu.sms = 1;
  how.gpu.max_blocks_per_sm = blocks;
  return how;
}

/// The last stores of a block are to words that the next block in its place has written by then.
__global__ void leave_stores_behind(cell32*, cell32* wrong) {
  cell32* mine = &shared_storage<cell32>();
  const std::uint32_t stamp = 1000 * (blockIdx.x + 1);
  mine[threadIdx.x] = stamp + threadIdx.x;
  __syncthreads();
  const unsigned next = (threadIdx.x + 1) % blockDim.x;
  if (mine[next] != stamp + next) *wrong = 1;
  __syncthreads();
  mine[next] = 77;
}

TEST(weak_retirement, stores_to_shared_memory_end_with_the_block) {
  expect_nothing_breaks([] {
    const simt::scoped_settings use(with_places_for(2));
    return goes_wrong<independent>(
        leave_stores_behind,
        {.blocks = 6, .threads_per_block = 64, .shared_bytes = 64 * sizeof(cell32)}, 1);
  });
}

constexpr std::uint32_t history = 5;

__global__ void write_a_history(cell32* memory) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  for (std::uint32_t value = 1; value <= history; ++value) memory[me] = value;
}

TEST(weak_retirement, stores_to_global_memory_arrive_and_in_order) {
  expect_nothing_breaks([] {
    const simt::scoped_settings use(with_places_for(2));
    return words_after<independent>(write_a_history, {.blocks = 20, .threads_per_block = 8},
                                    {20 * 8})[0] != std::vector<std::uint32_t>(20 * 8, history);
  });
}

constexpr unsigned data_at = 0;
constexpr unsigned ready_at = far;
constexpr unsigned flag_at = 2 * far;
constexpr unsigned words = 3 * far;

template <memory_order Order>
__device__ void await(cell32& flag) {
  while (device_ref(flag).load(Order) == 0) {
  }
}

/// The kernel runs in one block more than there are places.
bool fails_with_places_for(unsigned blocks, void (*kernel)(cell32*, cell32*)) {
  const simt::scoped_settings use(with_places_for(static_cast<int>(blocks)));
  return goes_wrong<independent>(kernel, {.blocks = blocks + 1, .threads_per_block = 1}, words);
}

/// Block 2 takes the place of block 0 and releases: its own stores, not that block's.
__global__ void release_after_another(cell32* memory, cell32* wrong) {
  if (blockIdx.x == 0) {
    memory[data_at] = 1;
  } else if (blockIdx.x == 1) {
    await<memory_order::acquire>(memory[flag_at]);
    if (memory[data_at] != 1) *wrong = 1;
  } else {
    device_ref(memory[flag_at]).store(1, memory_order::release);
  }
}

TEST(weak_retirement, the_next_block_does_not_publish_for_the_one_before) {
  expect_only_weak_memory_breaks([] { return fails_with_places_for(2, release_after_another); });
}

/// Block 0 caches what block 1 then changes; block 2 takes the place of block 0.
template <memory_order Order>
__global__ void read_after_another(cell32* memory, cell32* wrong) {
  if (blockIdx.x == 0) {
    const std::uint32_t before = memory[data_at];
    device_ref(memory[ready_at]).store(before + 1, memory_order::release);
  } else if (blockIdx.x == 1) {
    await<memory_order::acquire>(memory[ready_at]);
    memory[data_at] = 1;
    device_ref(memory[flag_at]).store(1, memory_order::release);
  } else {
    await<Order>(memory[flag_at]);
    if (memory[data_at] != 1) *wrong = 1;
  }
}

TEST(weak_retirement, a_block_that_starts_has_acquired_nothing) {
  expect_only_weak_memory_breaks(
      [] { return fails_with_places_for(2, read_after_another<memory_order::relaxed>); });
  expect_nothing_breaks(
      [] { return fails_with_places_for(2, read_after_another<memory_order::acquire>); });
}

/// Block 1 takes the place of block 0, which has cached the word and stored to it.
__global__ void look_twice_after_another(cell32* memory, cell32* wrong) {
  if (blockIdx.x == 0) {
    const std::uint32_t before = memory[data_at];
    memory[data_at] = before + 1;
  } else {
    const std::uint32_t first = memory[data_at];
    for (unsigned i = 0; i < 4; ++i) device_ref(memory[ready_at]).load(memory_order::relaxed);
    fence<memory_order::acquire, scope::device>();
    if (memory[data_at] < first) *wrong = 1;
  }
}

TEST(weak_retirement, stores_on_their_way_are_not_seen_and_then_unseen) {
  expect_nothing_breaks([] { return fails_with_places_for(1, look_twice_after_another); });
}

}  // namespace
}  // namespace simt_test::weak_retirement_test
