// One step of a node, and one discharge: where it pushes, how much, and how far the node rises. A
// wrong rise only costs steps, and no flow shows it.
#include "small.hpp"

#include <finesync/barriers/autotuned_barrier.cuh>
#include <workloads/maxflow/network/network.hpp>
#include <workloads/maxflow/push_relabel/discharge.cuh>
#include <workloads/maxflow/push_relabel/step.cuh>
#include <workloads/maxflow/push_relabel/work_queue.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::maxflow {
namespace {

constexpr std::uint32_t node = 1;  ///< the one that steps; the source is 0

enum class how { step, discharge, discharge_by_block };

constexpr unsigned threads = 64;

/// A block. \param heights of all nodes; `excess` is the node's. \param words becomes all nodes.
__global__ void advance(network_ref net, how what, const cell<std::uint32_t>* heights,
                        std::uint32_t excess, cell<std::uint64_t>* words) {
  if (threadIdx.x == 0)
    for (std::uint32_t u = 0; u < net.nodes(); ++u)
      net.set(u, node_word(heights[u], u == node ? excess : 0));
  __syncthreads();
  const auto discharge_by = [&](const auto& lanes) {
    discharge<correct_ownership>(net, lanes, hold(net, lanes, node, net.row_of(node)),
                                 [](std::uint32_t, const row&) {});
  };
  if (what == how::step) {
    if (threadIdx.x == 0) step_of(net, node);
  } else if (what == how::discharge_by_block) {
    discharge_by(whole_block(shared_storage<whole_block::memory>()));
  } else if (threadIdx.x < team_lanes) {
    discharge_by(team());
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (std::uint32_t u = 0; u < net.nodes(); ++u) words[u] = net.node(u);
}

/// The nodes after one step. Arcs lead from the node to nodes 2, 3, ... with these capacities.
std::vector<std::uint64_t> after(how what, const std::string& name,
                                 const std::vector<unsigned>& capacities,
                                 const std::vector<std::uint32_t>& heights, std::uint32_t excess) {
  std::vector<std::string> arcs{arc(1, 2, 100)};
  for (unsigned i = 0; i < capacities.size(); ++i) {
    arcs.push_back(arc(2, 3 + i, capacities[i]));
    arcs.push_back(arc(3 + i, 3 + static_cast<unsigned>(capacities.size()), 1));
  }
  const run_config config =
      network_of_arcs(name, 3 + static_cast<unsigned>(capacities.size()), arcs);
  const auto net = network_of(config.problem);
  net->reset();
  buffer<std::uint32_t> given(heights.size());
  given.copy_from(heights);
  const buffer<std::uint64_t> words(heights.size());
  launch_independent(
      advance,
      {.blocks = 1, .threads_per_block = threads, .shared_bytes = sizeof(whole_block::memory)},
      net->ref(), what, given.device_data(), excess, words.device_data());
  return words.to_host();
}

TEST(step, pushes_to_the_lowest_neighbour_that_is_lower) {
  const auto words = after(how::step, "step_down", {3, 4}, {5, 3, 2, 1, 0}, 9);
  EXPECT_EQ(words[node], node_word(3, 5));
  EXPECT_EQ(words[2], node_word(2, 0));
  EXPECT_EQ(words[3], node_word(1, 4));
}

TEST(step, raises_a_node_whose_lowest_neighbour_is_as_high) {
  const auto words = after(how::step, "step_level", {3, 4}, {5, 3, 3, 4, 0}, 9);
  EXPECT_EQ(words[node], node_word(4, 9));
  EXPECT_EQ(words[2], node_word(3, 0));
}

TEST(step, raises_a_node_above_the_lowest_neighbour_at_once) {
  EXPECT_EQ(after(how::step, "step_up", {3, 4, 2}, {9, 1, 4, 3, 4, 0}, 9)[node], node_word(4, 9));
}

TEST(discharge, pushes_to_all_lower_neighbours_until_nothing_is_left) {
  const auto words = after(how::discharge, "discharge_all", {3, 4, 5}, {7, 3, 2, 1, 3, 0}, 7);
  EXPECT_EQ(words[node], node_word(3, 0));
  EXPECT_EQ(words[2], node_word(2, 3));
  EXPECT_EQ(words[3], node_word(1, 4));
  EXPECT_EQ(words[4], node_word(3, 0));
}

TEST(discharge, raises_a_node_above_the_lowest_that_can_take_more) {
  const auto words = after(how::discharge, "discharge_rest", {3, 4, 5}, {9, 3, 2, 4, 5, 0}, 8);
  EXPECT_EQ(words[node], node_word(5, 5));
  EXPECT_EQ(words[2], node_word(2, 3));
  EXPECT_EQ(words[3], node_word(4, 0));
}

TEST(discharge, comes_to_the_neighbours_beyond_the_first_of_each_lane) {
  for (const auto& [by, ends] : {std::pair(how::discharge, 11u), {how::discharge_by_block, 150u}}) {
    const std::vector<unsigned> capacities(ends, 1);
    std::vector<std::uint32_t> heights(ends + 3, 2);
    heights[node] = 3;
    heights[0] = ends + 3;
    const auto words =
        after(by, "discharge_wide_" + std::to_string(ends), capacities, heights, ends + 9);
    for (std::size_t u = 2; u < 2 + ends; ++u) EXPECT_EQ(words[u], node_word(2, 1)) << u;
    EXPECT_EQ(excess_of(words[node]), 9u);
  }
}

TEST(discharge, by_a_block_pushes_no_more_than_there_is_and_rises_until_nothing_is_left) {
  std::vector<unsigned> capacities(100, 1);
  std::vector<std::uint32_t> heights(103, 7);
  heights[node] = 5;
  heights[0] = 103;
  for (const std::uint32_t lower : {0u, 31u, 32u, 70u, 99u}) heights[2 + lower] = 4;
  auto words = after(how::discharge_by_block, "discharge_block", capacities, heights, 3);
  std::uint64_t given = 0;
  for (std::size_t u = 2; u < 102; ++u) given += excess_of(words[u]);
  EXPECT_EQ(given, 3u);
  EXPECT_EQ(words[node], node_word(5, 0));

  heights[2 + 45] = 6;  // the lowest that is left
  words = after(how::discharge_by_block, "discharge_block", capacities, heights, 8);
  for (const std::uint32_t lower : {0u, 31u, 32u, 70u, 99u})
    EXPECT_EQ(words[2 + lower], node_word(4, 1)) << lower;
  EXPECT_EQ(words[2 + 45], node_word(6, 1));
  EXPECT_EQ(words[node], node_word(8, 0));
}

// Queues and pool: every pushed node returns exactly once, to any block, even when queues spill.

constexpr unsigned room = 4;
using queue_type = work_queue<room>;
using queue_of_all = work_queue<100>;

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

/// A block visits all nodes in each of its steps.
__global__ void visit_all(network_ref net, pool_ref pool, unsigned steps,
                          cell<std::uint32_t>* counts) {
  queue_of_all queue(shared_storage<queue_of_all::memory>(), pool);
  for (unsigned step = 0; step < steps; ++step) {
    for (std::uint32_t u = threadIdx.x; u < net.nodes(); u += blockDim.x)
      queue.push(u, net.row_of(u));
    queue.next_step();
    queue.each_of(net, [&](const auto& lanes, const queued_node& own) {
      lanes.sync();
      if (lanes.is_leader())
        atomic_ref<std::uint32_t, scope::device>(counts[own.node])
            .fetch_add(1, memory_order::relaxed);
    });
  }
}

TEST(work_queue, visits_nodes_with_short_and_long_rows_once_a_step) {
  const auto net = network_of(complete_network(70).problem);
  net->reset();
  ASSERT_TRUE(net->ref().has_long_rows());
  const std::uint32_t nodes = net->ref().nodes();
  const auto counts = buffer<std::uint32_t>::zeroed(nodes);
  const launch_shape shape{
      .blocks = 1, .threads_per_block = threads, .shared_bytes = sizeof(queue_of_all::memory)};
  launch_independent(visit_all, shape, net->ref(), pool_ref{}, 3u, counts.device_data());
  EXPECT_EQ(counts.to_host(), std::vector<std::uint32_t>(nodes, 3));
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
