// Clusters of several blocks: their members, their barrier, and other blocks' shared memory.
#include "harness.hpp"

#include <finesync/device/cluster.cuh>
#include <finesync/device/shared_storage.cuh>

#include <vector>

namespace simt_test::cluster_of_blocks_test {
namespace {
using simt::fault_kind;

__global__ void describe(cell32* seen) {
  if (threadIdx.x != 0) return;
  seen[3 * blockIdx.x] = cluster_rank();
  seen[3 * blockIdx.x + 1] = cluster_blocks();
  seen[3 * blockIdx.x + 2] = cluster_index();
}

TEST(cluster_of_blocks, has_ranks_and_a_place_in_the_grid) {
  for (const unsigned size : {2u, 3u, 4u}) {
    const auto [found] = words_after(describe, {.blocks = 12, .cluster_blocks = size}, {3 * 12});
    for (unsigned block = 0; block < 12; ++block) {
      EXPECT_EQ(found[3 * block], block % size);
      EXPECT_EQ(found[3 * block + 1], size);
      EXPECT_EQ(found[3 * block + 2], block / size);
    }
  }
}

TEST(cluster_of_blocks, is_resident_as_a_whole_or_not_at_all) {
  EXPECT_EQ(max_resident_blocks(describe, 32, 0, 3), 30u);
  EXPECT_EQ(max_resident_blocks(describe, 32, 0, 4), 32u);
  EXPECT_EQ(max_resident_blocks(describe, 32, 0, 5), 0u) << "a cluster with two blocks on an SM";
  EXPECT_EQ(max_resident_blocks(describe, 32, 0, 0), 0u);
  const simt::scoped_settings use(on_gpu("h200"));
  EXPECT_EQ(max_resident_blocks(describe, 1024, 0, 16), 256u);
  EXPECT_EQ(max_resident_blocks(describe, 1024, 0, 17), 0u);
  const simt::scoped_settings before_hopper(on_gpu("rtx2080ti"));
  EXPECT_EQ(max_resident_blocks(describe, 1024, 0, 2), 0u);
}

TEST(cluster_of_blocks, divides_the_grid) {
  const buffer<std::uint32_t> seen = zeroed_words(15);
  const launch_shape shape{.blocks = 5, .cluster_blocks = 2};
  EXPECT_THROW(launch_cooperative(describe, shape, seen.device_data()), launch_error);
  EXPECT_THROW(launch_independent(describe, shape, seen.device_data()), launch_error);
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
}  // namespace simt_test::cluster_of_blocks_test
