// Clusters of one block: every block is one if the launch or the machine has no others.
#include "litmus.hpp"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/cluster.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/launch_graph.cuh>

#include <vector>

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

}  // namespace
}  // namespace simt_test::cluster_test
