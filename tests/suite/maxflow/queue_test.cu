// Queues and pool: every pushed node returns exactly once, to any block, even when queues spill.
#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>
#include <simt/settings.hpp>
#include <workloads/maxflow/push_relabel/work_queue.cuh>

#include <gtest/gtest.h>
#include <tests/library/locks/exploration.hpp>

#include <algorithm>
#include <vector>

namespace finesync::maxflow {
namespace {

constexpr unsigned room = 4;
using queue_type = work_queue<room>;

/// Each of `nodes` nodes passes `rounds` times: it is counted, and pushed again.
template <class Barrier>
__global__ void go_round(pool_ref pool, Barrier barrier, std::uint32_t nodes, unsigned rounds,
                         unsigned max_kept, cell<std::uint32_t>* counts, cell<std::uint32_t>* lost,
                         watchdog_ref watchdog) {
  queue_type queue(shared_storage<queue_type::memory>(), pool);
  auto participant = barrier.join(watchdog);
  if (blockIdx.x == 0)
    for (std::uint32_t u = threadIdx.x; u < nodes; u += blockDim.x) queue.push(u);
  for (unsigned round = 0;; ++round) {
    if (!queue.turn(participant, max_kept)) return;
    if (queue.has_lost() && threadIdx.x == 0 && blockIdx.x == 0) *lost = 1;
    if (queue.total() == 0) return;
    queue.each_of(threadIdx.x, blockDim.x, [&](std::uint32_t node) {
      atomic_ref<std::uint32_t, scope::device>(counts[node]).fetch_add(1, memory_order::relaxed);
      if (round + 1 == rounds) return;
      if (node % 3 == 0)
        queue.postpone(node, row{});
      else
        queue.push(node);
    });
  }
}

struct game {
  std::uint32_t nodes;
  unsigned rounds;
  unsigned max_kept;
  std::uint32_t room_of_pool;
};

/// The count of each node; empty if the pool was too small.
std::vector<std::uint32_t> counts_of(const game& what) {
  const launch_shape shape{
      .blocks = 4, .threads_per_block = 32, .shared_bytes = sizeof(queue_type::memory)};
  buffer<std::uint32_t> pool(2 * std::size_t{what.room_of_pool});
  auto totals = buffer<std::uint64_t>::zeroed(3);
  auto counts_of_turns = buffer<std::uint64_t>::zeroed(3);
  auto counts = buffer<std::uint32_t>::zeroed(what.nodes);
  auto lost = buffer<std::uint32_t>::zeroed(1);
  const autotuned_barrier barrier(shape);
  const watchdog timeout;
  launch_cooperative(go_round<autotuned_barrier::ref_type>, shape,
                     pool_ref{pool.device_data(), what.room_of_pool, totals.device_data(),
                              counts_of_turns.device_data()},
                     barrier.ref(), what.nodes, what.rounds, what.max_kept, counts.device_data(),
                     lost.device_data(), timeout.ref());
  if (lost.to_host()[0] != 0) return {};
  return counts.to_host();
}

TEST(work_queue, brings_every_node_back_once_on_any_schedule) {
  for (const unsigned max_kept : {0u, 2u}) {
    for (const std::uint32_t nodes : {1u, 3u, 40u}) {
      const game what{nodes, 4, max_kept, nodes};
      const std::vector<std::uint32_t> right(nodes, what.rounds);
      test::expect_right_in_any_memory(test::seed_budget(40),
                                       [&] { return counts_of(what) == right; });
    }
  }
}

TEST(work_queue, says_when_the_pool_is_too_small) {
  EXPECT_TRUE(counts_of({40, 1, 0, 39}).empty());
  EXPECT_FALSE(counts_of({40, 1, 0, 40}).empty());
}

}  // namespace
}  // namespace finesync::maxflow
