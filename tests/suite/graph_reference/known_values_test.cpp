// The reference algorithms find what other programs, or the shape of the input, say.
#include <inputs/graphs/load.hpp>
#include <workloads/graph_reference/maximum_flow.hpp>
#include <workloads/graph_reference/spanning_forest.hpp>

#include <gtest/gtest.h>
#include <tests/suite/inputs/graphs/check_graph.hpp>
#include <tests/suite/inputs/graphs/known_values.hpp>

namespace finesync::graph_reference {
namespace {

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
