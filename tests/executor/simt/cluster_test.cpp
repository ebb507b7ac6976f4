// Clusters of one block: every block is one if the launch or the machine has no others.
#include "harness.hpp"
#include "litmus.hpp"

#include <finesync/device/cluster.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/launch_graph.cuh>

namespace simt_test::cluster_test {
namespace {

__global__ void describe(cell32* seen) {
  seen[3 * blockIdx.x] = cluster_rank();
  seen[3 * blockIdx.x + 1] = cluster_blocks();
  seen[3 * blockIdx.x + 2] = cluster_index();
}

TEST(cluster, is_the_block_alone) {
  EXPECT_EQ(words_after(describe, {.blocks = 3, .threads_per_block = 1}, {9})[0],
            (std::vector<std::uint32_t>{0, 1, 0, 0, 1, 1, 0, 1, 2}));
}

/// Threads count in their own block's shared memory, whatever the rank.
__global__ void count_in_cluster(cell32* sums) {
  auto& count = shared_storage<cell32>();
  const atomic_ref<std::uint32_t, scope::cluster> shared(in_block(count, cluster_rank()));
  if (threadIdx.x == 0) shared.store(0, memory_order::relaxed);
  cluster_sync<memory_order::acq_rel>();
  shared.fetch_add(threadIdx.x, memory_order::relaxed);
  if (threadIdx.x == 0) shared.fetch_add(1u << 16, memory_order::relaxed);
  cluster_sync<memory_order::acq_rel>();
  if (threadIdx.x == 0) sums[blockIdx.x] = shared.load(memory_order::acquire);
}

constexpr launch_shape two_blocks_that_share{
    .blocks = 2, .threads_per_block = 64, .shared_bytes = sizeof(cell32)};

TEST(cluster, has_its_words_in_the_blocks_own_shared_memory) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed, simt::memory_kind::weak));
    ASSERT_EQ(words_after(count_in_cluster, two_blocks_that_share, {2})[0],
              std::vector<std::uint32_t>(2, (1u << 16) | (63 * 64 / 2)));
  }
}

TEST(cluster, operations_are_counted_as_such) {
  words_after(count_in_cluster, two_blocks_that_share, {2});
  const simt::counters& counts = simt::last_launch().counts;
  using enum simt::op_kind;
  EXPECT_EQ(counts.operations(fetch_add, scope::cluster, simt::space::shared), 130u);
  EXPECT_EQ(counts.operations(fetch_add, scope::block, simt::space::shared), 0u);
  EXPECT_EQ(counts.operations(cluster_barrier, scope::cluster, simt::space::none), 256u);
  EXPECT_EQ(counts.by_name().at("rmw_cluster_shared"), 130.0);
  EXPECT_EQ(counts.by_name().at("store_cluster_shared"), 2.0);
}

/// The threads of a block pass values on; `Fenced` adds the fences that a relaxed barrier omits.
template <memory_order Order, bool Fenced>
__global__ void exchange_at_cluster_barrier(cell32*, cell32* wrong) {
  cell32* slots = &shared_storage<cell32>();
  for (std::uint32_t round = 1; round <= 4; ++round) {
    slots[threadIdx.x] = round;
    if constexpr (Fenced) fence<memory_order::release, scope::cluster>();
    cluster_sync<Order>();
    if constexpr (Fenced) fence<memory_order::acquire, scope::cluster>();
    if (slots[(threadIdx.x + 33) % blockDim.x] != round) *wrong = 1;
    __syncthreads();
  }
}

template <memory_order Order, bool Fenced>
bool something_is_missing() {
  return goes_wrong(exchange_at_cluster_barrier<Order, Fenced>,
                    {.threads_per_block = 64, .shared_bytes = 64 * sizeof(cell32)}, 1);
}

TEST(cluster, barrier_orders_memory_when_told_or_fenced) {
  expect_nothing_breaks(something_is_missing<memory_order::acq_rel, false>);
  expect_nothing_breaks(something_is_missing<memory_order::relaxed, true>);
}

TEST(cluster, relaxed_barrier_orders_no_memory) {
  expect_only_weak_memory_breaks(something_is_missing<memory_order::relaxed, false>);
}

/// A fence of cluster scope does not order accesses across clusters.
template <scope Reach>
__global__ void publish(cell32* memory, cell32* wrong) {
  if (is_first()) {
    memory[0] = 1;
    fence<memory_order::release, Reach>();
    device_ref(memory[far]).store(1, memory_order::relaxed);
  } else {
    while (device_ref(memory[far]).load(memory_order::relaxed) == 0) {
    }
    fence<memory_order::acquire, scope::device>();
    if (memory[0] != 1) *wrong = 1;
  }
}

template <scope Reach>
bool next_block_sees_too_little() {
  return goes_wrong(publish<Reach>, two_blocks, 2 * far);
}

TEST(cluster, fence_ends_at_the_cluster) {
  expect_nothing_breaks(next_block_sees_too_little<scope::device>);
  expect_only_weak_memory_breaks(next_block_sees_too_little<scope::cluster>);
}

template <class Launch>
void expect_refusal(Launch launch) {
  try {
    launch();
    FAIL() << "the launch was not refused";
  } catch (const launch_error& problem) {
    EXPECT_STREQ(problem.what(),
                 "clusters of 4 blocks: this machine has no clusters, which need compute "
                 "capability 9.0 or later");
  }
}

TEST(cluster, of_more_than_one_block_is_refused_where_there_are_none) {
  const simt::scoped_settings before_hopper(on_gpu("rtx2080ti"));
  const buffer<std::uint32_t> seen = zeroed_words(12);
  const launch_shape shape{.blocks = 4, .threads_per_block = 1, .cluster_blocks = 4};
  expect_refusal([&] { launch_cooperative(describe, shape, seen.device_data()); });
  expect_refusal([&] { launch_independent(describe, shape, seen.device_data()); });
  expect_refusal([&] {
    launch_graph graph;
    launch_independent(graph, describe, shape, seen.device_data());
  });
  EXPECT_EQ(seen.to_host(), std::vector<std::uint32_t>(12, 0)) << "nothing must have run";
  EXPECT_EQ(max_resident_blocks(describe, 1, 0, 4), 0u);
  EXPECT_EQ(max_resident_blocks(describe, 1, 0, 1), max_resident_blocks(describe, 1));
}

// Clusters of several blocks: their members, their barrier, and other blocks' shared memory.

using simt::fault_kind;

__global__ void describe_block(cell32* seen) {
  if (threadIdx.x != 0) return;
  seen[3 * blockIdx.x] = cluster_rank();
  seen[3 * blockIdx.x + 1] = cluster_blocks();
  seen[3 * blockIdx.x + 2] = cluster_index();
}

TEST(cluster_of_blocks, has_ranks_and_a_place_in_the_grid) {
  for (const unsigned size : {2u, 3u, 4u}) {
    const auto [found] =
        words_after(describe_block, {.blocks = 12, .cluster_blocks = size}, {3 * 12});
    for (unsigned block = 0; block < 12; ++block) {
      EXPECT_EQ(found[3 * block], block % size);
      EXPECT_EQ(found[3 * block + 1], size);
      EXPECT_EQ(found[3 * block + 2], block / size);
    }
  }
}

TEST(cluster_of_blocks, is_resident_as_a_whole_or_not_at_all) {
  EXPECT_EQ(max_resident_blocks(describe_block, 32, 0, 3), 30u);
  EXPECT_EQ(max_resident_blocks(describe_block, 32, 0, 4), 32u);
  EXPECT_EQ(max_resident_blocks(describe_block, 32, 0, 5), 0u)
      << "a cluster with two blocks on an SM";
  EXPECT_EQ(max_resident_blocks(describe_block, 32, 0, 0), 0u);
  const simt::scoped_settings use(on_gpu("h200"));
  EXPECT_EQ(max_resident_blocks(describe_block, 1024, 0, 16), 256u);
  EXPECT_EQ(max_resident_blocks(describe_block, 1024, 0, 17), 0u);
  const simt::scoped_settings before_hopper(on_gpu("rtx2080ti"));
  EXPECT_EQ(max_resident_blocks(describe_block, 1024, 0, 2), 0u);
}

TEST(cluster_of_blocks, divides_the_grid) {
  const buffer<std::uint32_t> seen = zeroed_words(15);
  const launch_shape shape{.blocks = 5, .cluster_blocks = 2};
  EXPECT_THROW(launch_cooperative(describe_block, shape, seen.device_data()), launch_error);
  EXPECT_THROW(launch_independent(describe_block, shape, seen.device_data()), launch_error);
  EXPECT_EQ(seen.to_host(), std::vector<std::uint32_t>(15, 0)) << "nothing must have run";
}

/// Every thread stores to the word that its counterpart in the cluster's next block polls.
__global__ void give_to_the_next(cell32* found) {
  cell32* mine = &shared_storage<cell32>();
  cluster_sync<memory_order::acq_rel>();
  const unsigned next = (cluster_rank() + 1) % cluster_blocks();
  in_block(mine[threadIdx.x], next) = blockIdx.x * blockDim.x + threadIdx.x;
  cluster_sync<memory_order::acq_rel>();
  found[blockIdx.x * blockDim.x + threadIdx.x] = mine[threadIdx.x];
}

TEST(cluster_of_blocks, reaches_the_shared_memory_of_its_blocks) {
  constexpr unsigned threads = 40;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed, simt::memory_kind::weak));
    const unsigned size = 2 + seed % 3;
    const unsigned blocks = 15 * size;  // more than fit
    const auto [got] = words_after<independent>(
        give_to_the_next, {blocks, threads, threads * sizeof(cell32), size}, {blocks * threads});
    for (unsigned i = 0; i < blocks * threads; ++i) {
      const unsigned block = i / threads;
      const unsigned before = block / size * size + (block % size + size - 1) % size;
      ASSERT_EQ(got[i], before * threads + i % threads);
    }
  }
}

__global__ void count_in_first_block(cell32* sums) {
  auto& count = shared_storage<cell32>();
  if (threadIdx.x == 0) count = 0;
  cluster_sync<memory_order::acq_rel>();
  const atomic_ref<std::uint32_t, scope::cluster> first(in_block(count, 0));
  for (unsigned i = 0; i < 5; ++i) first.fetch_add(1, memory_order::relaxed);
  cluster_sync<memory_order::acq_rel>();
  if (cluster_rank() == 0 && threadIdx.x == 0) sums[cluster_index()] = count;
}

TEST(cluster_of_blocks, counts_together_in_one_of_them) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed, simt::memory_kind::weak));
    ASSERT_EQ(words_after(count_in_first_block, {12, 33, sizeof(cell32), 4}, {3})[0],
              std::vector<std::uint32_t>(3, 4 * 33 * 5));
  }
}

/// Threads end before the barrier, or while others wait in it.
__global__ void leave_some_out(cell32* passed) {
  if (threadIdx.x % 2 == 1) {
    for (unsigned i = 0; i < threadIdx.x; ++i) static_cast<void>(std::uint32_t{*passed});
    return;
  }
  cluster_sync<memory_order::acq_rel>();
  device_ref(*passed).fetch_add(1, memory_order::relaxed);
}

TEST(cluster_of_blocks, waits_at_its_barrier_for_threads_that_have_not_ended) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed));
    const launch_shape shape{.blocks = 4, .threads_per_block = 48, .cluster_blocks = 2};
    ASSERT_EQ(words_after(leave_some_out, shape, {1})[0][0], 4 * 24u);
  }
}

/// The barrier must hold back all blocks of the cluster until the last has arrived.
__global__ void count_arrivals(cell32* arrived, cell32* early) {
  for (std::uint32_t round = 1; round <= 5; ++round) {
    for (unsigned i = 0; i < 7 * cluster_rank(); ++i) static_cast<void>(std::uint32_t{*early});
    const device_ref here(arrived[cluster_index()]);
    here.fetch_add(1, memory_order::relaxed);
    cluster_sync<memory_order::relaxed>();
    if (here.load(memory_order::relaxed) < round * cluster_blocks() * blockDim.x) *early = 1;
  }
}

TEST(cluster_of_blocks, leaves_its_barrier_when_all_have_come) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const simt::scoped_settings use(simt::random_schedule(seed));
    const launch_shape shape{.blocks = 6, .threads_per_block = 20, .cluster_blocks = 3};
    ASSERT_EQ(words_after(count_arrivals, shape, {2, 1})[1][0], 0u);
  }
}

constexpr launch_shape pairs{
    .blocks = 4, .threads_per_block = 32, .shared_bytes = 64, .cluster_blocks = 2};

__global__ void wait_in_two_places() {
  if (threadIdx.x == 5 && blockIdx.x == 2) {
    __syncthreads();
  } else {
    cluster_sync<memory_order::acq_rel>();
  }
}

TEST(cluster_of_blocks, in_two_barriers_is_a_deadlock) {
  expect_stuck(ending_of(wait_in_two_places, pairs), fault_kind::deadlock,
               {"1 at __syncthreads()", "63 at the cluster's barrier"});
}

/// Block 0 accesses the shared memory of a block that has ended.
__global__ void reach_into_the_ended(cell32* gone) {
  auto& word = shared_storage<cell32>();
  if (blockIdx.x == 1) return;
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  for (unsigned i = 0; i < 100; ++i) static_cast<void>(std::uint32_t{*gone});
  in_block(word, 1) = 1;
}

TEST(cluster_of_blocks, must_not_reach_into_a_block_that_has_ended) {
  expect_stuck(ending_of(reach_into_the_ended, pairs, {1}), fault_kind::bad_address,
               {"block 0, thread 0", "shared storage of block 1 of its cluster, which has ended"});
}

__global__ void reach_beyond_the_cluster(unsigned rank) {
  auto& word = shared_storage<cell32>();
  if (blockIdx.x == 0) in_block(word, rank) = 1;
  cluster_sync<memory_order::acq_rel>();
}
__global__ void reach_past_shared_memory() {
  cell32* words = &shared_storage<cell32>();
  if (blockIdx.x == 0) (&in_block(words[15], 1))[1] = 1;
  cluster_sync<memory_order::acq_rel>();
}
__global__ void reach_from_global_memory(cell32* word) {
  in_block(*word, 1) = 1;
}

TEST(cluster_of_blocks, reaches_no_further_than_its_blocks_shared_memory) {
  EXPECT_FALSE(ending_of(reach_beyond_the_cluster, pairs, 1u).stuck);
  expect_stuck(ending_of(reach_beyond_the_cluster, pairs, 2u), fault_kind::bad_address,
               {"block 0, thread 0"});
  expect_stuck(ending_of(reach_past_shared_memory, pairs), fault_kind::bad_address,
               {"64 bytes into block 1's shared storage of 64 bytes"});
  expect_stuck(ending_of(reach_from_global_memory, pairs, {1}), fault_kind::bad_address,
               {"block 0, thread 0"});
}

}  // namespace
}  // namespace simt_test::cluster_test
