// Order among the blocks of a cluster, in weak memory: cluster scope suffices and is required.
#include "litmus.hpp"

#include <finesync/device/cluster.cuh>
#include <finesync/device/shared_storage.cuh>

namespace simt_test::weak_cluster_test {
namespace {

constexpr unsigned data_words = 2;
constexpr unsigned flag_at = data_words * far;

/// The last word of the first block's shared memory is the flag of its cluster.
struct storage {
  cell32 data[data_words];
  cell32 flag;
};

constexpr launch_shape one_cluster{
    .blocks = 2, .threads_per_block = 1, .shared_bytes = sizeof(storage), .cluster_blocks = 2};
constexpr launch_shape two_clusters{
    .blocks = 4, .threads_per_block = 1, .shared_bytes = sizeof(storage), .cluster_blocks = 2};

/// The first block passes data in global memory to the last.
template <scope Release, scope Acquire>
__global__ void hand_over(cell32* memory, cell32* wrong) {
  const device_ref flag(memory[flag_at]);
  if (is_first()) {
    for (unsigned i = 0; i < data_words; ++i) memory[i * far] = i + 1;
    fence<memory_order::release, Release>();
    flag.store(1, memory_order::relaxed);
  } else if (is_second()) {
    for (unsigned i = 0; i < data_words; ++i) static_cast<void>(std::uint32_t{memory[i * far]});
    while (flag.load(memory_order::relaxed) == 0) {
    }
    fence<memory_order::acquire, Acquire>();
    for (unsigned i = 0; i < data_words; ++i) {
      if (memory[i * far] != i + 1) *wrong = 1;
    }
  }
}

constexpr unsigned words = flag_at + far;

template <scope Release, scope Acquire>
bool data_is_missing_in_the_cluster() {
  return goes_wrong(hand_over<Release, Acquire>, one_cluster, words);
}
template <scope Release, scope Acquire>
bool data_is_missing_beyond_the_cluster() {
  return goes_wrong(hand_over<Release, Acquire>, two_clusters, words);
}

constexpr auto block = scope::block;
constexpr auto cluster = scope::cluster;
constexpr auto device = scope::device;

TEST(weak_cluster, cluster_scope_orders_the_blocks_of_a_cluster) {
  expect_nothing_breaks(data_is_missing_in_the_cluster<cluster, cluster>);
  expect_nothing_breaks(data_is_missing_in_the_cluster<device, device>);
}

/// The data are neighbours, which an L1 fetches together.
__global__ void hand_over_neighbours(cell32* memory, cell32* wrong) {
  const device_ref flag(memory[flag_at]);
  if (is_first()) {
    for (unsigned i = 0; i < data_words; ++i) memory[i] = i + 1;
    fence<memory_order::release, cluster>();
    flag.store(1, memory_order::relaxed);
  } else if (is_second()) {
    while (flag.load(memory_order::relaxed) == 0) {
    }
    fence<memory_order::acquire, cluster>();
    for (unsigned i = data_words; i-- > 0;)
      if (memory[i] != i + 1) *wrong = 1;
    for (unsigned i = 0; i < data_words; ++i)
      if (memory[i] != i + 1) *wrong = 1;
  }
}

TEST(weak_cluster, an_l1_fetches_nothing_older_than_the_cluster_sees) {
  expect_nothing_breaks([] { return goes_wrong(hand_over_neighbours, one_cluster, words); });
}

TEST(weak_cluster, block_scope_does_not) {
  expect_only_weak_memory_breaks(data_is_missing_in_the_cluster<block, cluster>);
  expect_only_weak_memory_breaks(data_is_missing_in_the_cluster<cluster, block>);
}

TEST(weak_cluster, a_release_of_the_cluster_ends_there) {
  expect_nothing_breaks(data_is_missing_beyond_the_cluster<device, device>);
  expect_nothing_breaks(data_is_missing_beyond_the_cluster<scope::system, device>);
  expect_nothing_breaks(data_is_missing_beyond_the_cluster<device, scope::system>);
  expect_only_weak_memory_breaks(data_is_missing_beyond_the_cluster<cluster, device>);
}

/// The first block writes to the shared memory of the last, or to its own for the last to poll.
template <scope Release, unsigned Home>
__global__ void hand_over_in_shared(cell32*, cell32* wrong) {
  auto& own = shared_storage<storage>();
  own.flag = 0;
  own.data[0] = 0;
  cluster_sync<memory_order::acq_rel>();
  cell32& data = in_block(own.data[0], Home);
  const atomic_ref<std::uint32_t, scope::cluster> flag(in_block(own.flag, 0));
  if (cluster_rank() == 0) {
    data = 1;
    fence<memory_order::release, Release>();
    flag.store(1, memory_order::relaxed);
    for (unsigned i = 0; i < 20; ++i) static_cast<void>(std::uint32_t{*wrong});  // no release yet
  } else {
    while (flag.load(memory_order::acquire) == 0) {
    }
    if (data != 1) *wrong = 1;
  }
  cluster_sync<memory_order::acq_rel>();
}

template <scope Release, unsigned Home>
bool shared_data_is_missing() {
  return goes_wrong(hand_over_in_shared<Release, Home>, one_cluster, words);
}

TEST(weak_cluster, cluster_scope_orders_shared_memory_too) {
  expect_nothing_breaks(shared_data_is_missing<cluster, 0>);
  expect_nothing_breaks(shared_data_is_missing<cluster, 1>);
}

TEST(weak_cluster, block_scope_does_not_order_shared_memory_for_other_blocks) {
  expect_only_weak_memory_breaks(shared_data_is_missing<block, 0>);
  expect_only_weak_memory_breaks(shared_data_is_missing<block, 1>);
}

enum class order { none, release_fence, barrier };

/// Blocks of a cluster exchange words through its barrier.
template <order How, bool InShared>
__global__ void exchange(cell32* memory, cell32* wrong) {
  cell32* own = InShared ? shared_storage<storage>().data : memory + blockIdx.x * far;
  for (std::uint32_t round = 1; round <= 4; ++round) {
    own[0] = round;
    if constexpr (How == order::barrier) {
      cluster_sync<memory_order::acq_rel>();
    } else {
      if constexpr (How == order::release_fence) fence<memory_order::release, scope::cluster>();
      cluster_sync<memory_order::relaxed>();
    }
    const unsigned other = 1 - cluster_rank();
    cell32& theirs = InShared ? in_block(own[0], other) : memory[other * far];
    if (theirs != round) *wrong = 1;
    cluster_sync<memory_order::acq_rel>();
  }
}

template <order How, bool InShared>
bool exchange_goes_wrong() {
  return goes_wrong(exchange<How, InShared>, one_cluster, words);
}

TEST(weak_cluster, the_barrier_orders_as_it_is_told) {
  expect_nothing_breaks(exchange_goes_wrong<order::barrier, false>);
  expect_nothing_breaks(exchange_goes_wrong<order::barrier, true>);
}

TEST(weak_cluster, waiting_at_the_barrier_acquires_what_a_fence_released) {
  expect_nothing_breaks(exchange_goes_wrong<order::release_fence, false>);
  expect_nothing_breaks(exchange_goes_wrong<order::release_fence, true>);
}

TEST(weak_cluster, a_relaxed_arrival_releases_nothing) {
  expect_only_weak_memory_breaks(exchange_goes_wrong<order::none, false>);
  expect_only_weak_memory_breaks(exchange_goes_wrong<order::none, true>);
}

// The remains of an ended block, in weak memory, when another block takes its place. Its stores to
// global memory are still in flight, and those to its shared memory are gone. Its cached data are
// still in the SM's L1.

/// Settings of a GPU with places for `blocks`: the next one begins where the first has ended.
simt::settings with_places_for(int blocks) {
  simt::settings how = simt::current_settings();
  how.gpu.sms = 1;
  how.gpu.max_blocks_per_sm = blocks;
  return how;
}

/// The last stores of a block are to retired_words that the next block in its place has written by
/// then.
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
constexpr unsigned retired_flag_at = 2 * far;
constexpr unsigned retired_words = 3 * far;

template <memory_order Order>
__device__ void await(cell32& flag) {
  while (device_ref(flag).load(Order) == 0) {
  }
}

/// The kernel runs in one block more than there are places.
bool fails_with_places_for(unsigned blocks, void (*kernel)(cell32*, cell32*)) {
  const simt::scoped_settings use(with_places_for(static_cast<int>(blocks)));
  return goes_wrong<independent>(kernel, {.blocks = blocks + 1, .threads_per_block = 1},
                                 retired_words);
}

/// Block 2 takes the place of block 0 and releases: its own stores, not that block's.
__global__ void release_after_another(cell32* memory, cell32* wrong) {
  if (blockIdx.x == 0) {
    memory[data_at] = 1;
  } else if (blockIdx.x == 1) {
    await<memory_order::acquire>(memory[retired_flag_at]);
    if (memory[data_at] != 1) *wrong = 1;
  } else {
    device_ref(memory[retired_flag_at]).store(1, memory_order::release);
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
    device_ref(memory[retired_flag_at]).store(1, memory_order::release);
  } else {
    await<Order>(memory[retired_flag_at]);
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
}  // namespace simt_test::weak_cluster_test
