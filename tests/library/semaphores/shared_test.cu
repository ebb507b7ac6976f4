// Semaphores in shared memory, one for a block or for a cluster, under the load of readers and
// writers; broken twins.
#include "load_kernels.cuh"

#include <finesync/semaphores/shared_semaphore.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test::shared_test {
namespace {

template <class Semaphore>
__global__ void use_shared(cell<std::uint32_t>* words, semaphore_load load, watchdog_ref watchdog) {
  auto& mine = shared_storage<typename Semaphore::block_storage>();
  Semaphore::open(mine);
  const Semaphore semaphore(mine, load.size);
  run_participant<other_lanes::competing>(semaphore, words, load, watchdog);
  Semaphore::close();
}

/// The grid is one cluster.
template <class Semaphore>
bool serves_all_of_a_cluster(const semaphore_load& load) {
  const launch_shape shape{.blocks = load.blocks,
                           .threads_per_block = load.threads_per_block,
                           .shared_bytes = sizeof(typename Semaphore::block_storage),
                           .cluster_blocks = load.blocks};
  const auto launch = [&](const watchdog& timeout, const buffer<std::uint32_t>& words) {
    return ends(timeout, use_shared<Semaphore>, shape, words, load);
  };
  return run_load_by(launch, load).right();
}

constexpr semaphore_load of_cluster{.blocks = 4, .threads_per_block = 3, .size = 2};
constexpr semaphore_load bare{.blocks = 4, .threads_per_block = 3, .size = 2, .counted = false};
constexpr semaphore_load of_block{.blocks = 1, .threads_per_block = 9, .size = 3};

template <class Semaphore>
unsigned failing(simt::memory_kind memory, const semaphore_load& load) {
  return failing_seeds(memory, seed_budget(100),
                       [&] { return serves_all_of_a_cluster<Semaphore>(load); });
}

TEST(shared_semaphore, serves_the_blocks_of_a_cluster) {
  for (const auto memory : {strong, weak})
    for (const semaphore_load& load : {of_cluster, bare})
      EXPECT_EQ(failing<shared_semaphore<scope::cluster>>(memory, load), 0u);
}

TEST(shared_semaphore, serves_the_threads_of_a_block) {
  for (const auto memory : {strong, weak}) {
    EXPECT_EQ(failing<shared_semaphore<scope::block>>(memory, of_block), 0u);
    EXPECT_EQ(failing<shared_semaphore<scope::cluster>>(memory, of_block), 0u);
  }
}

/// The cluster's semaphore, with fences and atomics that reach only the block.
struct narrow : cas_semaphore_ref<no_backoff, scope::block> {
  using right = shared_semaphore<scope::cluster>;
  using block_storage = right::block_storage;

  __device__ narrow(block_storage& mine, unsigned size)
      : cas_semaphore_ref<no_backoff, scope::block>(&in_block(mine.taken, 0), size) {}
  __device__ static void open(block_storage& mine) { right::open(mine); }
  __device__ static void close() { right::close(); }
};

/// Each block has the word in its own memory.
struct apart : shared_semaphore<scope::block> {
  using shared_semaphore<scope::block>::shared_semaphore;
  __device__ static void open(block_storage& mine) {
    shared_semaphore<scope::block>::open(mine);
    cluster_sync<memory_order::acq_rel>();
  }
};

/// A block may enter before the first one has set the word.
struct unopened : shared_semaphore<scope::cluster> {
  using shared_semaphore<scope::cluster>::shared_semaphore;
  __device__ static void open(block_storage& mine) {
    if (is_first_of_block()) mine.taken = 0u;
    __syncthreads();
  }
};

TEST(shared_semaphore, broken_ones_are_rejected) {
  const auto rejected = [](const experiment<bool>& right) {
    return failing_twin_seeds(strong, seed_budget(200), right, races::fail) +
           failing_twin_seeds(weak, seed_budget(200), right);
  };
  EXPECT_NE(rejected([] { return serves_all_of_a_cluster<narrow>(bare); }), 0u);
  EXPECT_NE(rejected([] { return serves_all_of_a_cluster<apart>(of_cluster); }), 0u);
  EXPECT_NE(rejected([] { return serves_all_of_a_cluster<unopened>(of_cluster); }), 0u);
}

}  // namespace
}  // namespace finesync::test::shared_test
