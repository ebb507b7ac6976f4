// The maximum flow of networks of any shape; other flows are rejected.
#include <inputs/graphs/load.hpp>
#include <inputs/graphs/mesh.hpp>
#include <workloads/graph_reference/flow.hpp>
#include <workloads/graph_reference/maximum_flow.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <utility>

namespace finesync::graph_reference {
namespace {

using inputs::edge;
using inputs::flow_network;

flow_network network(std::uint32_t vertices, const std::vector<edge>& edges, std::uint32_t source,
                     std::uint32_t sink) {
  return inputs::network_of("it", vertices, edges, source, sink);
}

// The smallest of all cuts, by the definition.
std::int64_t smallest_cut(const flow_network& of) {
  const std::uint32_t vertices = of.arcs.vertices();
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t side = 0; side < 1u << vertices; ++side) {
    if ((side >> of.source & 1) == 0 || (side >> of.sink & 1) != 0) continue;
    std::int64_t cut = 0;
    for (std::uint32_t u = 0; u < vertices; ++u)
      for (std::uint32_t arc = of.arcs.first[u]; arc < of.arcs.first[u + 1]; ++arc)
        if ((side >> u & 1) != 0 && (side >> of.arcs.targets[arc] & 1) == 0)
          cut += of.arcs.weights[arc];
    smallest = std::min(smallest, cut);
  }
  return smallest;
}

// L. R. Ford's and D. R. Fulkerson's algorithm: one more unit along some path, repeatedly.
std::vector<std::uint32_t> augmented(const flow_network& of) {
  std::vector<std::uint32_t> left = of.arcs.weights;
  while (!is_maximum(of, left)) {
    std::vector<std::uint32_t> came_by(of.arcs.vertices(), of.arcs.arcs());
    std::vector<std::uint32_t> reached{of.source};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const std::uint32_t u = reached[i];
      for (std::uint32_t arc = of.arcs.first[u]; arc < of.arcs.first[u + 1]; ++arc) {
        const std::uint32_t v = of.arcs.targets[arc];
        if (left[arc] == 0 || v == of.source || came_by[v] != of.arcs.arcs()) continue;
        came_by[v] = arc;
        reached.push_back(v);
      }
    }
    for (std::uint32_t v = of.sink; v != of.source;) {
      --left[came_by[v]];
      ++left[of.mates[came_by[v]]];
      v = of.arcs.targets[of.mates[came_by[v]]];
    }
  }
  return left;
}

TEST(flow, is_the_largest_through_networks_of_any_shape) {
  EXPECT_EQ(maximum_flow(network(2, {}, 0, 1)), 0);
  EXPECT_EQ(maximum_flow(network(2, {{0, 1, 5}, {0, 1, 6}, {1, 0, 9}}, 0, 1)), 11);
  EXPECT_EQ(maximum_flow(network(2, {{0, 1, 5}, {1, 0, 9}}, 1, 0)), 9);
  EXPECT_EQ(maximum_flow(network(3, {{0, 0, 4}, {0, 1, 5}, {1, 1, 7}, {1, 2, 3}}, 0, 2)), 3);
  constexpr std::uint32_t most = inputs::max_weight;
  EXPECT_EQ(
      maximum_flow(network(4, {{0, 1, most}, {0, 2, most}, {1, 3, most}, {2, 3, most}}, 0, 3)),
      std::int64_t{2} * most);
  std::vector<edge> path;
  for (std::uint32_t i = 0; i < 1000; ++i) path.push_back({i, i + 1, 1000 - i});
  EXPECT_EQ(maximum_flow(network(1001, path, 0, 1000)), 1);
}

TEST(flow, is_the_smallest_cut_of_random_networks) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<edge> drawn(5 + random() % 40);
    for (edge& each : drawn)
      each = {static_cast<std::uint32_t>(random() % 8), static_cast<std::uint32_t>(random() % 8),
              static_cast<std::uint32_t>(random() % 20)};
    const flow_network of = network(8, drawn, 2, 5);
    ASSERT_EQ(maximum_flow(of), smallest_cut(of));
    const std::vector<std::uint32_t> left = augmented(of);
    ASSERT_EQ(fault_of_flow(of, left), std::nullopt);
    ASSERT_EQ(value_of_flow(of, left), smallest_cut(of));
  }
}

// Source and sink lie between the others, or are the last; the arcs between the last two are the
// last of each.
TEST(flow, with_any_one_arc_changed_is_rejected) {
  std::vector<edge> all;
  for (std::uint32_t u = 0; u < 6; ++u)
    for (std::uint32_t v = 0; v < 6; ++v)
      if (u != v) all.push_back({u, v, 5});
  for (const std::uint32_t source : {2u, 4u}) {
    const flow_network of = network(6, all, source, source + 1);
    std::vector<std::uint32_t> left = augmented(of);
    ASSERT_EQ(fault_of_flow(of, left), std::nullopt);
    for (std::uint32_t arc = 0; arc < of.arcs.arcs(); ++arc) {
      const std::uint32_t mate = of.mates[arc];
      const auto [least, most] = std::minmax(of.arcs.targets[arc], of.arcs.targets[mate]);
      ++left[arc];
      EXPECT_TRUE(fault_of_flow(of, left)) << arc;
      --left[mate];  // one unit less goes along the arc
      EXPECT_TRUE(fault_of_flow(of, left) || (least == of.source && most == of.sink)) << arc;
      --left[arc];
      ++left[mate];
    }
    left.push_back(0);
    EXPECT_TRUE(fault_of_flow(of, left));
  }
}

// Values found by another program.
TEST(flow, through_washington_meshes) {
  const auto through = [](std::uint32_t rows, std::uint32_t columns, std::uint32_t largest,
                          std::uint32_t seed) {
    return maximum_flow(inputs::washington_mesh("it", {rows, columns, largest}, seed));
  };
  EXPECT_EQ(through(4, 4, 10, 1), 42);
  EXPECT_EQ(through(8, 8, 100, 1), 911);
  EXPECT_EQ(through(64, 64, 10'000, 1), 545'781);
  EXPECT_EQ(through(64, 64, 10'000, 2), 566'208);
  EXPECT_EQ(through(128, 128, 10'000, 1), 1'118'221);
}

class flow_check : public testing::Test {
 protected:
  std::string fault() const { return fault_of_flow(of_, left_).value_or("none"); }

  // Sends this amount along an arc.
  void send(std::uint32_t from, std::uint32_t to, std::uint32_t amount) {
    for (std::uint32_t arc = of_.arcs.first[from]; arc < of_.arcs.first[from + 1]; ++arc)
      if (of_.arcs.targets[arc] == to) {
        left_[arc] -= amount;
        left_[of_.mates[arc]] += amount;
      }
  }

  const flow_network of_ =
      network(4, {{0, 1, 3}, {0, 2, 2}, {1, 3, 2}, {2, 3, 3}, {1, 2, 1}}, 0, 3);
  std::vector<std::uint32_t> left_ = of_.arcs.weights;
};

TEST_F(flow_check, takes_a_flow_and_knows_whether_it_is_a_maximum) {
  EXPECT_EQ(fault(), "none");
  EXPECT_EQ(value_of_flow(of_, left_), 0);
  for (const auto& [a, b, c] : {std::array{0u, 1u, 3u}, {0u, 2u, 3u}}) {
    EXPECT_FALSE(is_maximum(of_, left_));
    send(a, b, 2);
    send(b, c, 2);
    EXPECT_EQ(fault(), "none");
  }
  EXPECT_EQ(value_of_flow(of_, left_), 4);
  EXPECT_FALSE(is_maximum(of_, left_));
  send(0, 1, 1);
  send(1, 2, 1);
  send(2, 3, 1);
  EXPECT_EQ(fault(), "none");
  EXPECT_EQ(value_of_flow(of_, left_), 5);
  EXPECT_TRUE(is_maximum(of_, left_));
}

TEST_F(flow_check, refuses_what_is_none) {
  send(0, 1, 2);
  EXPECT_EQ(fault(), "-2 more leave vertex 1 than arrive there");
  send(1, 3, 3);  // exceeds its capacity, which wraps
  EXPECT_NE(fault(), "none");
  left_ = of_.arcs.weights;
  ++left_[0];
  EXPECT_EQ(fault(), "the arcs 0 - 1 have 4 left, and a capacity of 3 both ways");
  left_.pop_back();
  EXPECT_EQ(fault(), "9 numbers for 10 arcs");
}

}  // namespace
}  // namespace finesync::graph_reference
