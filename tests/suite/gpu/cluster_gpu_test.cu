// Clusters on a GPU: places, shared memory of other blocks, barriers, and rejected configurations.
#include "cluster_fixture.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/watchdog.cuh>

namespace finesync::test::cluster_gpu_test {
namespace {

TEST_F(clusters_on_gpu, blocks_know_their_place) {
  for (const unsigned size : cluster_sizes()) {
    const unsigned blocks = 3 * size;
    const buffer<std::uint32_t> seen = zeroed_words(3 * blocks);
    launch_cooperative(describe<cell32>, {.blocks = blocks, .cluster_blocks = size},
                       seen.device_data());
    const std::vector<std::uint32_t> found = seen.to_host();
    for (unsigned block = 0; block < blocks; ++block) {
      EXPECT_EQ(found[3 * block], block % size);
      EXPECT_EQ(found[3 * block + 1], size);
      EXPECT_EQ(found[3 * block + 2], block / size);
    }
  }
}

constexpr unsigned max_blocks = 16;

struct mailbox {
  cell64 marks[max_blocks];  ///< one per block that writes
  cell32 sum;
  cell32 set;      ///< bits
  cell32 cleared;  ///< bits
  cell32 mixed;
  cell32 least;
  cell32 most;
  cell32 taken;
  cell32 guarded;
};

__device__ std::uint64_t mark_of(unsigned rank) {
  constexpr std::uint64_t one = 1;
  return (rank + one) << 32 | (rank + one);
}

/// The contribution of thread `thread` of block `rank`, unique in the cluster.
__device__ std::uint32_t number_of(unsigned rank, unsigned thread) {
  return (rank * blockDim.x + thread + 1) * 2654435761u;
}

/// All threads of the cluster write to all its mailboxes (the broken variant: only to their own),
/// and count in that of rank 0 under a lock. `wrong`: 1 the sums, 2 the marks, 4 the locked data, 8
/// the other read-modify-writes.
template <bool Mapped>
__global__ void write_to_all(cell32* wrong, watchdog_ref watchdog) {
  using word = atomic_ref<std::uint32_t, scope::cluster>;
  auto& own = shared_storage<mailbox>();
  const unsigned blocks = cluster_blocks();
  if (threadIdx.x == 0) {
    for (cell64& mark : own.marks) mark = std::uint64_t{0};
    own.sum = own.set = own.mixed = own.most = own.taken = own.guarded = 0;
    own.cleared = own.least = ~0u;
  }
  cluster_sync<memory_order::acq_rel>();
  const std::uint32_t number = number_of(cluster_rank(), threadIdx.x);
  // Only one block sets and clears each bit.
  const std::uint32_t bit =
      threadIdx.x < 32 && threadIdx.x % blocks == cluster_rank() ? 1u << threadIdx.x : 0;
  for (unsigned rank = 0; rank < blocks; ++rank) {
    mailbox& box = Mapped ? in_block(own, rank) : own;
    word(box.sum).fetch_add(cluster_rank() + 1, memory_order::relaxed);
    word(box.set).fetch_or(bit, memory_order::relaxed);
    word(box.cleared).fetch_and(~bit, memory_order::relaxed);
    word(box.mixed).fetch_xor(number, memory_order::relaxed);
    word(box.least).fetch_min(number, memory_order::relaxed);
    word(box.most).fetch_max(number, memory_order::relaxed);
    if (threadIdx.x == 0) {
      atomic_ref<std::uint64_t, scope::cluster>(box.marks[cluster_rank()])
          .store(mark_of(cluster_rank()), memory_order::release);
    }
  }
  mailbox& shared = Mapped ? in_block(own, 0) : own;
  const word taken(shared.taken);
  if (threadIdx.x == 0) {
    bounded_wait wait(watchdog);
    for (unsigned i = 0; i < 100 && !wait.timed_out(); ++i) {
      std::uint32_t is_free = 0;
      while (!taken.compare_exchange(is_free, 1, memory_order::acquire) && !wait.timed_out()) {
        is_free = 0;
      }
      shared.guarded = shared.guarded + 1;
      taken.store(0, memory_order::release);
    }
  }
  cluster_sync<memory_order::acq_rel>();
  if (threadIdx.x == 0) {
    bool all_marked = true;
    std::uint32_t mixed = 0;
    std::uint32_t least = ~0u;
    std::uint32_t most = 0;
    for (unsigned rank = 0; rank < blocks; ++rank) {
      const atomic_ref<std::uint64_t, scope::cluster> mark(own.marks[rank]);
      all_marked = all_marked && mark.load(memory_order::relaxed) == mark_of(rank);
      for (unsigned thread = 0; thread < blockDim.x; ++thread) {
        const std::uint32_t theirs = number_of(rank, thread);
        mixed ^= theirs;
        least = min(least, theirs);
        most = max(most, theirs);
      }
    }
    const atomic_ref<std::uint32_t, scope::device> report(*wrong);
    if (own.sum != blockDim.x * blocks * (blocks + 1) / 2)
      report.fetch_or(1, memory_order::relaxed);
    if (!all_marked) report.fetch_or(2, memory_order::relaxed);
    if (cluster_rank() == 0 && own.guarded != 100 * blocks)
      report.fetch_or(4, memory_order::relaxed);
    if (own.set != ~0u || own.cleared != 0 || own.mixed != mixed || own.least != least ||
        own.most != most)
      report.fetch_or(8, memory_order::relaxed);
  }
}

// A 64-bit read-modify-write in a cluster is rejected (cluster.cuh).
template <class T, scope Scope>
concept adds = requires(const atomic_ref<T, Scope> word) {
  word.fetch_add(1, memory_order::relaxed);
};
static_assert(adds<std::uint32_t, scope::cluster> && adds<std::uint64_t, scope::block> &&
              adds<std::uint64_t, scope::device> && !adds<std::uint64_t, scope::cluster>);

constexpr std::uint32_t timed_out = 16;

template <bool Mapped>
std::uint32_t what_is_wrong(unsigned size) {
  const buffer<std::uint32_t> wrong = zeroed_words(1);
  const watchdog timeout;
  launch_cooperative(write_to_all<Mapped>,
                     {.blocks = 4 * size,
                      .threads_per_block = 96,
                      .shared_bytes = sizeof(mailbox),
                      .cluster_blocks = size},
                     wrong.device_data(), timeout.ref());
  return wrong.to_host()[0] | (timeout.fired() ? timed_out : 0);
}

TEST_F(clusters_on_gpu, blocks_reach_into_each_others_shared_memory) {
  for (const unsigned size : cluster_sizes()) EXPECT_EQ(what_is_wrong<true>(size), 0u) << size;
  EXPECT_NE(what_is_wrong<false>(4), 0u);
}

struct ordered_sync {
  __device__ static void meet() { cluster_sync<memory_order::acq_rel>(); }
};
struct fenced_sync {
  __device__ static void meet() {
    __syncthreads();
    if (threadIdx.x == 0) fence<memory_order::release, scope::cluster>();
    cluster_sync<memory_order::relaxed>();
    if (threadIdx.x == 0) fence<memory_order::acquire, scope::cluster>();
    __syncthreads();
  }
};
struct no_sync {
  __device__ static void meet() { __syncthreads(); }
};

/// Blocks read the writes of the next block in their cluster, in its shared memory and in global
/// memory; rank 0 is late.
template <class Sync>
__global__ void hand_around(cell32* global, cell32* wrong) {
  auto* shared = &shared_storage<cell32>();
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned next = (cluster_rank() + 1) % cluster_blocks();
  const unsigned neighbour = threadIdx.x ^ 1;
  const unsigned theirs = (blockIdx.x - cluster_rank() + next) * blockDim.x + neighbour;
  cluster_sync<memory_order::acq_rel>();
  for (std::uint32_t round = 1; round <= 50; ++round) {
    if (cluster_rank() == 0) sleep_ns(5000);
    shared[threadIdx.x] = round;
    global[me] = round;
    Sync::meet();
    if (in_block(shared[neighbour], next) != round || global[theirs] != round) *wrong = 1;
    Sync::meet();
  }
  cluster_sync<memory_order::acq_rel>();
}

template <class Sync>
bool hands_around(unsigned size) {
  const launch_shape shape{.blocks = 4 * size,
                           .threads_per_block = 128,
                           .shared_bytes = 128 * sizeof(cell32),
                           .cluster_blocks = size};
  const buffer<std::uint32_t> global = zeroed_words(shape.blocks * shape.threads_per_block);
  const buffer<std::uint32_t> wrong = zeroed_words(1);
  launch_cooperative(hand_around<Sync>, shape, global.device_data(), wrong.device_data());
  return wrong.to_host()[0] == 0;
}

TEST_F(clusters_on_gpu, barrier_orders_memory_when_told_or_fenced) {
  for (const unsigned size : cluster_sizes()) {
    EXPECT_TRUE(hands_around<ordered_sync>(size)) << size;
    EXPECT_TRUE(hands_around<fenced_sync>(size)) << size;
  }
  EXPECT_FALSE(hands_around<no_sync>(8));
}

TEST_F(clusters_on_gpu, grid_that_does_not_fit_is_refused_with_the_number_that_would) {
  for (const unsigned size : {2u, cluster_sizes().back()}) {
    const unsigned fitting = max_resident_blocks(describe<cell32>, 1024, 0, size);
    ASSERT_GT(fitting, 0u);
    EXPECT_EQ(fitting % size, 0u);
    const buffer<std::uint32_t> seen = zeroed_words(3 * (fitting + size));
    const launch_shape full{.blocks = fitting, .threads_per_block = 1024, .cluster_blocks = size};
    launch_shape more = full;
    more.blocks += size;
    const auto launch = [&](const launch_shape& shape) {
      return refusal_of([&] { launch_cooperative(describe<cell32>, shape, seen.device_data()); });
    };
    EXPECT_EQ(launch(full), "");
    const std::string refusal = launch(more);
    EXPECT_NE(refusal.find("in clusters of " + std::to_string(size)), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("at most " + std::to_string(fitting) + " blocks"), std::string::npos)
        << refusal;
    EXPECT_NO_THROW(launch_independent(describe<cell32>, more, seen.device_data()));
  }
  stream().synchronize();
}

TEST_F(clusters_on_gpu, impossible_clusters_are_refused) {
  const buffer<std::uint32_t> seen = zeroed_words(3 * 1024);
  const auto launch = [&](const launch_shape& shape) {
    return refusal_of([&] { launch_cooperative(describe<cell32>, shape, seen.device_data()); });
  };
  EXPECT_EQ(launch({.blocks = 10, .cluster_blocks = 4}),
            "a grid of 10 blocks does not divide into clusters of 4 blocks");
  EXPECT_NE(launch({.blocks = 4, .cluster_blocks = 0}), "");
  EXPECT_NE(launch({.blocks = 1024, .cluster_blocks = 1024}), "");
  EXPECT_EQ(max_resident_blocks(describe<cell32>, 32, 0, 1024), 0u);
}

class no_clusters_on_gpu : public on_gpu {};

TEST_F(no_clusters_on_gpu, refuses_them_as_such) {
  if (max_resident_blocks(describe<cell32>, 32, 0, 2) != 0) GTEST_SKIP() << "this GPU has clusters";
  EXPECT_NE(refusal_of([] {
              launch_cooperative(describe<cell32>, {.blocks = 2, .cluster_blocks = 2},
                                 static_cast<cell32*>(nullptr));
            }).find("this machine has no clusters"),
            std::string::npos);
}

}  // namespace
}  // namespace finesync::test::cluster_gpu_test
