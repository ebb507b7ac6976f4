// One step of a node, and one discharge: where it pushes, how much, and how far the node rises. A
// wrong rise only costs steps, and no flow shows it.
#include "small.hpp"

#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <workloads/maxflow/network/network.hpp>
#include <workloads/maxflow/push_relabel/discharge.cuh>
#include <workloads/maxflow/push_relabel/step.cuh>

#include <gtest/gtest.h>

#include <vector>

namespace finesync::maxflow {
namespace {

constexpr std::uint32_t node = 1;  ///< the one that steps; the source is 0

enum class how { step, discharge };

/// A warp. \param heights of all nodes; `excess` is the node's. \param words becomes all nodes.
__global__ void advance(network_ref net, how what, const cell<std::uint32_t>* heights,
                        std::uint32_t excess, cell<std::uint64_t>* words) {
  if (threadIdx.x == 0)
    for (std::uint32_t u = 0; u < net.nodes(); ++u)
      net.set(u, node_word(heights[u], u == node ? excess : 0));
  __syncwarp();
  if (what == how::step) {
    if (threadIdx.x == 0) step_of(net, node);
  } else if (threadIdx.x < team_lanes) {
    discharge<correct_ownership>(net, hold(net, node, net.row_of(node)),
                                 [](std::uint32_t, const row&) {});
  }
  __syncwarp();
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
  launch_independent(advance, {.blocks = 1, .threads_per_block = 32}, net->ref(), what,
                     given.device_data(), excess, words.device_data());
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

TEST(discharge, comes_to_the_neighbours_beyond_a_team) {
  const std::vector<unsigned> capacities(11, 1);
  std::vector<std::uint32_t> heights(14, 2);
  heights[node] = 3;
  heights[0] = 14;
  const auto words = after(how::discharge, "discharge_wide", capacities, heights, 20);
  for (std::size_t u = 2; u < 13; ++u) EXPECT_EQ(words[u], node_word(2, 1)) << u;
  EXPECT_EQ(excess_of(words[node]), 9u);
}

}  // namespace
}  // namespace finesync::maxflow
