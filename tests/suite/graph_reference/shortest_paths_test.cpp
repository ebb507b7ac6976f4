// The certificate of distances accepts the right ones and nothing else.
#include <inputs/graphs/graph.hpp>
#include <inputs/graphs/load.hpp>
#include <workloads/graph_reference/maximum_flow.hpp>
#include <workloads/graph_reference/shortest_paths.hpp>
#include <workloads/graph_reference/spanning_forest.hpp>

#include <gtest/gtest.h>
#include <tests/suite/inputs/graphs/check_graph.hpp>
#include <tests/suite/inputs/graphs/known_values.hpp>

#include <cstdint>
#include <vector>

namespace finesync::graph_reference {
namespace {

/// 0 -> 1 (4), 0 -> 2 (1), 2 -> 1 (2), 1 -> 3 (5); 4 alone, with an arc to 3.
inputs::graph directed() {
  inputs::graph made;
  made.first = {0, 2, 3, 4, 4, 5};
  made.targets = {1, 2, 3, 1, 3};
  made.weights = {4, 1, 5, 2, 9};
  return made;
}

TEST(distances, that_are_right_pass) {
  EXPECT_FALSE(
      fault_of_distances(directed(), 0, true, std::vector<std::uint32_t>{0, 3, 1, 8, unreached}));
  EXPECT_FALSE(
      fault_of_distances(directed(), 0, false, std::vector<std::uint32_t>{0, 1, 1, 2, unreached}));
}

TEST(distances, with_any_one_wrong_are_rejected) {
  const std::vector<std::uint32_t> right = {0, 3, 1, 8, unreached};
  for (std::size_t vertex = 0; vertex < right.size(); ++vertex)
    for (const std::uint32_t wrong : {0u, 1u, 2u, 4u, 7u, 9u, unreached}) {
      std::vector<std::uint32_t> distances = right;
      if (distances[vertex] == wrong) continue;
      distances[vertex] = wrong;
      EXPECT_TRUE(fault_of_distances(directed(), 0, true, distances)) << vertex << ": " << wrong;
    }
}

TEST(distances, from_elsewhere_than_the_source_are_rejected) {
  EXPECT_TRUE(
      fault_of_distances(directed(), 0, true, std::vector<std::uint32_t>{2, 5, 3, 10, unreached}));
}

TEST(distances, from_the_last_vertex_pass) {
  inputs::graph backwards;  // 2 -> 1 -> 0
  backwards.first = {0, 0, 1, 2};
  backwards.targets = {0, 1};
  EXPECT_FALSE(fault_of_distances(backwards, 2, false, std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(distances, that_explain_each_other_are_rejected) {
  inputs::graph two_parts;  // 0; 1 <-> 2
  two_parts.first = {0, 0, 1, 2};
  two_parts.targets = {2, 1};
  two_parts.weights = {1, 1};
  EXPECT_TRUE(fault_of_distances(two_parts, 0, true, std::vector<std::uint32_t>{0, 5, 6}));
  EXPECT_TRUE(fault_of_distances(two_parts, 0, true, std::vector<std::uint32_t>{0, 0, 1}));
}

TEST(distances, fit_if_those_along_the_fewest_arcs_do) {
  inputs::graph made = directed();
  EXPECT_TRUE(distances_fit(made, 0));
  made.weights[0] = inputs::max_weight;  // 0 -> 1; from there to 3
  made.weights[2] = inputs::max_weight;
  EXPECT_TRUE(distances_fit(made, 0));  // one less than unreached
  EXPECT_TRUE(distances_fit(made, 4));
  made.weights[4] = inputs::max_weight;
  EXPECT_TRUE(distances_fit(made, 4));
  inputs::graph path;
  path.first = {0, 1, 2, 3, 3};
  path.targets = {1, 2, 3};
  path.weights = {inputs::max_weight, inputs::max_weight, 1};
  EXPECT_FALSE(distances_fit(path, 0));
  EXPECT_TRUE(distances_fit(path, 1));
}

TEST(usual_source, has_three_arcs_or_the_most) {
  EXPECT_EQ(usual_source(directed()), 0u);
  inputs::graph later;
  later.first = {0, 1, 1, 4};
  later.targets = {1, 0, 1, 2};
  later.weights = {1, 1, 1, 1};
  EXPECT_EQ(usual_source(later), 2u);
  inputs::graph alone;
  alone.first = {0, 0};
  EXPECT_EQ(usual_source(alone), 0u);
}

// 0 -> 1 (2), 1 -> 2 (0), 2 <-> 3 (0); 4 <-> 5 (0) apart.
TEST(weights_of_zero, explain_what_is_explained_itself) {
  inputs::graph made;
  made.first = {0, 1, 2, 3, 4, 5, 6};
  made.targets = {1, 2, 3, 2, 5, 4};
  made.weights = {2, 0, 0, 0, 0, 0};
  const auto fault = [&](const std::vector<std::uint32_t>& distances) {
    return fault_of_distances(made, 0, true, distances).has_value();
  };
  EXPECT_FALSE(fault({0, 2, 2, 2, unreached, unreached}));
  EXPECT_TRUE(fault({0, 2, 1, 1, unreached, unreached}));
  EXPECT_TRUE(fault({0, 2, 2, 2, 7, 7}));
  EXPECT_TRUE(fault({0, 2, 2, unreached, unreached, unreached}));
  made.weights[0] = 0;
  EXPECT_FALSE(fault({0, 0, 0, 0, unreached, unreached}));
  EXPECT_TRUE(fault({2, 2, 2, 2, unreached, unreached}));
}

// An arc leads back to the source, and explains it.
TEST(distances, from_anywhere_but_the_source_are_rejected) {
  inputs::graph ring;  // 0 -> 1 -> 2 -> 0
  ring.first = {0, 1, 2, 3};
  ring.targets = {1, 2, 0};
  ring.weights = {1, 1, 1};
  EXPECT_FALSE(fault_of_distances(ring, 0, true, std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_TRUE(fault_of_distances(ring, 1, true, std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_TRUE(fault_of_distances(ring, 0, true, std::vector<std::uint32_t>{3, 4, 5}));
}

// The reference algorithms find what other programs, or the shape of the input, say.

TEST(known_values, are_the_weights_of_forests) {
  for (const auto& [input, value] : inputs::known_forests()) {
    const inputs::graph made = inputs::load_graph(input);
    inputs::check_simple(made);
    EXPECT_EQ(made.name, input);
    EXPECT_EQ(made, inputs::load_graph(input));
    const spanning_forest lightest = lightest_forest(made);
    EXPECT_EQ(lightest.weight, value) << input;
    EXPECT_EQ(lightest.components, 1u) << input;
  }
}

TEST(known_values, are_the_values_of_flows) {
  for (const auto& [input, value] : inputs::known_flows()) {
    const inputs::flow_network made = inputs::load_network(input);
    EXPECT_EQ(made.arcs.name, input);
    EXPECT_EQ(made, inputs::load_network(input));
    EXPECT_EQ(static_cast<std::uint64_t>(maximum_flow(made)), value) << input;
  }
}

}  // namespace
}  // namespace finesync::graph_reference
