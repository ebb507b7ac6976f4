// The lightest forest of graphs of any shape, compared with another algorithm; arcs that are no
// spanning forest are rejected.
#include <inputs/graphs/build.hpp>
#include <inputs/graphs/load.hpp>
#include <workloads/graph_reference/spanning_forest.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <utility>

namespace finesync::graph_reference {
namespace {

using inputs::edge;
using inputs::graph;

// R. Prim's algorithm, by the definition: repeatedly the lightest edge out of a tree.
spanning_forest grown(const graph& of) {
  spanning_forest made;
  std::vector<bool> is_in(of.vertices());
  for (std::uint32_t root = 0; root < of.vertices(); ++root) {
    if (is_in[root]) continue;
    ++made.components;
    std::vector<std::uint32_t> tree{root};
    for (is_in[root] = true;;) {
      std::uint32_t lightest = std::numeric_limits<std::uint32_t>::max();
      std::uint32_t next = of.vertices();
      for (const std::uint32_t u : tree)
        for (std::uint32_t arc = of.first[u]; arc < of.first[u + 1]; ++arc)
          if (!is_in[of.targets[arc]] && of.weights[arc] < lightest) {
            lightest = of.weights[arc];
            next = of.targets[arc];
          }
      if (next == of.vertices()) break;
      made.weight += lightest;
      is_in[next] = true;
      tree.push_back(next);
    }
  }
  return made;
}

// Both directions, with all repeats and loops.
graph both_ways(std::uint32_t vertices, const std::vector<edge>& edges) {
  std::vector<edge> arcs = edges;
  for (const edge& each : edges)
    if (each.from != each.to) arcs.push_back({each.to, each.from, each.weight});
  return inputs::directed_graph("it", vertices, arcs);
}

graph star(std::uint32_t leaves) {
  std::vector<edge> edges;
  for (std::uint32_t i = 1; i <= leaves; ++i) edges.push_back({0, i, i % 7});
  return both_ways(leaves + 1, edges);
}

graph path(std::uint32_t vertices) {
  std::vector<edge> edges;
  for (std::uint32_t i = 1; i < vertices; ++i) edges.push_back({i - 1, i, 3});
  return both_ways(vertices, edges);
}

graph random_graph(std::uint32_t vertices, std::size_t edges, std::uint32_t most, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<edge> drawn(edges);
  for (edge& each : drawn)
    each = {static_cast<std::uint32_t>(random() % vertices),
            static_cast<std::uint32_t>(random() % vertices),
            static_cast<std::uint32_t>(random() % (most + 1))};
  return both_ways(vertices, drawn);
}

void expect_lightest(const graph& of) {
  ASSERT_TRUE(inputs::is_undirected(of));
  const spanning_forest made = lightest_forest(of);
  const spanning_forest expected = grown(of);
  EXPECT_EQ(made.weight, expected.weight);
  EXPECT_EQ(made.components, expected.components);
  EXPECT_EQ(made.arcs.size() + made.components, of.vertices());
  EXPECT_EQ(forest_check(of, made.components).fault_of(made.arcs), std::nullopt);
}

TEST(forest, is_the_lightest_of_graphs_of_any_shape) {
  expect_lightest({});
  expect_lightest(both_ways(1, {}));
  expect_lightest(both_ways(1, {{0, 0, 5}, {0, 0, 4}}));
  expect_lightest(both_ways(5, {}));
  expect_lightest(both_ways(3, {{0, 1, 5}, {1, 0, 4}, {0, 1, 5}, {2, 2, 1}}));
  expect_lightest(both_ways(3, {{0, 1, inputs::max_weight}, {1, 2, inputs::max_weight}}));
  expect_lightest(star(300));
  expect_lightest(path(300));
}

TEST(forest, is_the_lightest_of_random_graphs) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    expect_lightest(random_graph(100, 60, 9, seed));
    expect_lightest(random_graph(60, 400, 0, seed));
  }
  // Enough edges to be sorted in parts.
  expect_lightest(random_graph(150, 20'000, 1'000'000, 1));
  expect_lightest(random_graph(150, 20'000, 3, 2));
}

TEST(forest, of_real_graphs) {
  const graph karate = inputs::load_graph(GRAPHS_FOLDER "/karate.mtx");
  expect_lightest(karate);
  expect_lightest(inputs::load_graph(GRAPHS_FOLDER "/jagmesh7.mtx"));
  const spanning_forest roads =
      lightest_forest(inputs::load_graph(GRAPHS_FOLDER "/new-york-16k.gr"));
  EXPECT_EQ(roads.components, 1u);
  EXPECT_EQ(roads.arcs.size(), 15'999u);
}

TEST(forest, of_equal_weights_is_the_one_of_the_smallest_arcs) {
  const graph square = both_ways(4, {{0, 1, 7}, {1, 2, 7}, {2, 3, 7}, {0, 3, 7}});
  EXPECT_EQ(lightest_forest(square).arcs, (std::vector{0u, 1u, 3u}));
}

// J. Kruskal's algorithm in its plain form: all edges in order, a label for each tree.
std::vector<std::uint32_t> one_after_the_other(const graph& of) {
  std::vector<std::array<std::uint32_t, 4>> all;
  for (std::uint32_t u = 0; u < of.vertices(); ++u)
    for (std::uint32_t arc = of.first[u]; arc < of.first[u + 1]; ++arc)
      if (u < of.targets[arc]) all.push_back({of.weights[arc], arc, u, of.targets[arc]});
  std::ranges::sort(all);
  std::vector<std::uint32_t> tree(of.vertices()), taken;
  std::vector<std::vector<std::uint32_t>> members(of.vertices());
  for (std::uint32_t v = 0; v < of.vertices(); ++v) members[tree[v] = v].push_back(v);
  for (const auto& [weight, arc, u, v] : all) {
    std::uint32_t few = tree[u], many = tree[v];
    if (few == many) continue;
    if (members[few].size() > members[many].size()) std::swap(few, many);
    for (const std::uint32_t each : members[few]) members[tree[each] = many].push_back(each);
    members[few].clear();
    taken.push_back(arc);
  }
  return taken;
}

TEST(forest, of_many_edges_is_the_same) {
  for (const std::uint32_t most : {50u, 1'000'000u}) {
    const graph wide = random_graph(200'000, 1'200'000, most, most);
    EXPECT_EQ(lightest_forest(wide).arcs, one_after_the_other(wide));
  }
}

TEST(forest, of_a_long_path_ends_soon) {
  EXPECT_EQ(lightest_forest(path(1'000'000)).weight, 3u * 999'999u);
}

TEST(forest_check, of_many_arcs_is_the_same) {
  const graph wide = random_graph(300'000, 900'000, 1000, 5);
  const spanning_forest made = lightest_forest(wide);
  const forest_check check(wide, made.components);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(check.fault_of(made.arcs), std::nullopt);

  std::vector<std::uint32_t> arcs = made.arcs;
  arcs[arcs.size() / 2] = arcs.back();  // the second one closes a cycle with the first
  EXPECT_EQ(check.fault_of(arcs)->substr(0, 9), "the edge ");
  EXPECT_NE(check.fault_of(arcs)->find("closes a cycle"), std::string::npos);
  arcs.back() = wide.arcs();
  EXPECT_EQ(check.fault_of(arcs), "there is no arc " + std::to_string(wide.arcs()));
  arcs.pop_back();
  EXPECT_NE(check.fault_of(arcs)->find("is between two trees"), std::string::npos);
}

TEST(forest_check, adds_up_the_weights_of_what_is_there) {
  const graph wide = random_graph(300'000, 900'000, 1'000'000'000, 6);
  const spanning_forest made = lightest_forest(wide);
  std::vector<std::uint32_t> arcs(wide.vertices(), no_arc);
  std::ranges::copy_backward(made.arcs, arcs.end());
  const forest_check check(wide, made.components);
  EXPECT_EQ(check.fault_of(arcs), std::nullopt);
  EXPECT_EQ(check.weight_of(arcs), made.weight);
  EXPECT_EQ(check.weight_of({}), 0u);
}

TEST(forest_check, refuses_what_is_none) {
  const graph triangle_and_edge = both_ways(5, {{0, 1, 1}, {1, 2, 2}, {0, 2, 3}, {3, 4, 1}});
  const std::vector<std::uint32_t> all = lightest_forest(triangle_and_edge).arcs;
  ASSERT_EQ(all.size(), 3u);
  const forest_check check(triangle_and_edge, 2);
  const auto fault = [&](std::vector<std::uint32_t> arcs) {
    return check.fault_of(arcs).value_or("none");
  };
  EXPECT_EQ(fault(all), "none");
  EXPECT_EQ(fault({all[0], all[2]}), "the edge 3 - 4 is between two trees");
  EXPECT_EQ(fault({all[0], all[1]}), "the edge 0 - 2 is between two trees");
  EXPECT_EQ(fault({0, 1, 3, 6}), "the edge 1 - 2 closes a cycle");
  EXPECT_EQ(fault({0, 0, all[2]}), "the edge 0 - 1 closes a cycle");
  EXPECT_EQ(fault({0, 2}), "the edge 1 - 0 closes a cycle");  // the same edge in both directions
  EXPECT_EQ(fault({99}), "there is no arc 99");
  EXPECT_EQ(fault({no_arc, all[0], no_arc, no_arc, all[1], all[2]}), "none");
  EXPECT_EQ(fault({no_arc, all[0], all[2]}), "the edge 3 - 4 is between two trees");
  const graph loop = both_ways(1, {{0, 0, 1}});
  EXPECT_EQ(forest_check(loop, 1).fault_of(std::vector{0u}), "the edge 0 - 0 closes a cycle");
  EXPECT_EQ(forest_check(loop, 2).fault_of({}), "it has 1 trees, and the graph 2 components");
}

}  // namespace
}  // namespace finesync::graph_reference
