// Graphs and networks built from edges.
#include <inputs/graphs/bipartite.hpp>
#include <inputs/graphs/build.hpp>
#include <inputs/graphs/flow_network.hpp>

#include <tests/suite/inputs/error_of.hpp>
#include <tests/suite/inputs/graphs/check_graph.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <utility>

namespace finesync::inputs {
namespace {

using numbers = std::vector<std::uint32_t>;

const std::vector<edge> odd{{2, 0, 5}, {0, 2, 4}, {0, 1, 9}, {0, 1, 3}, {1, 1, 7}, {2, 0, 1}};

TEST(build, a_directed_graph_keeps_all_in_order) {
  const graph made = directed_graph("it", 4, odd);
  check_graph(made);
  EXPECT_EQ(made.name, "it");
  EXPECT_FALSE(made.is_simple);
  EXPECT_EQ(made.first, (numbers{0, 3, 4, 6, 6}));
  EXPECT_EQ(made.targets, (numbers{1, 1, 2, 1, 0, 0}));
  EXPECT_EQ(made.weights, (numbers{3, 9, 4, 7, 1, 5}));
}

TEST(build, an_undirected_graph_has_each_edge_once_at_its_lightest) {
  const graph made = undirected_graph("it", 4, odd);
  check_simple(made);
  EXPECT_EQ(made.first, (numbers{0, 2, 3, 4, 4}));
  EXPECT_EQ(made.targets, (numbers{1, 2, 0, 0}));
  EXPECT_EQ(made.weights, (numbers{3, 1, 3, 1}));
}

TEST(build, a_network_adds_the_capacities_of_each_direction) {
  const flow_network made = network_of("it", 4, odd, 0, 2);
  EXPECT_EQ(made.arcs.first, (numbers{0, 2, 3, 4, 4}));
  EXPECT_EQ(made.arcs.targets, (numbers{1, 2, 0, 0}));
  EXPECT_EQ(made.arcs.weights, (numbers{12, 4, 0, 6}));
  EXPECT_EQ(made.mates, (numbers{2, 3, 0, 1}));
  EXPECT_EQ(error_of([] {
              network_of("it", 2, std::vector<edge>{{0, 1, max_weight}, {0, 1, 1}}, 0, 1);
            }),
            "it: the capacities of repeated arcs add up to more than 2147483647");
}

TEST(build, nothing_makes_a_graph_too) {
  for (const std::uint32_t vertices : {0u, 1u, 3u}) {
    const graph made = undirected_graph("it", vertices, {});
    check_simple(made);
    EXPECT_EQ(made.vertices(), vertices);
    EXPECT_EQ(made.arcs(), 0u);
  }
}

std::vector<edge> random_edges(std::uint32_t vertices, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<edge> drawn(count);
  for (edge& each : drawn)
    each = {static_cast<std::uint32_t>(random() % vertices),
            static_cast<std::uint32_t>(random() % vertices),
            static_cast<std::uint32_t>(random() % 4)};
  return drawn;
}

TEST(build, undirected_is_the_same_by_way_of_a_directed_graph) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto edges = random_edges(9, 5 + seed, seed);
    const graph made = undirected_graph("it", 9, edges);
    check_simple(made);
    EXPECT_EQ(undirected(directed_graph("it", 9, edges)), made);
    EXPECT_EQ(undirected(made), made);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> lightest;
    for (const auto& [from, to, weight] : edges)
      if (from != to) {
        const auto [at, is_new] = lightest.try_emplace(std::minmax(from, to), weight);
        at->second = std::min(at->second, weight);
      }
    ASSERT_EQ(made.arcs(), 2 * lightest.size());
    for (std::uint32_t u = 0; u < 9; ++u)
      for (std::uint32_t arc = made.first[u]; arc < made.first[u + 1]; ++arc) {
        const std::uint32_t v = made.targets[arc];
        EXPECT_EQ(made.weights[arc], lightest.at(std::minmax(u, v)));
      }
  }
}

// Arc by arc, by one thread.
graph sorted_arcs(std::uint32_t vertices, const std::vector<edge>& edges) {
  std::vector<std::array<std::uint32_t, 3>> arcs;
  for (const auto& [from, to, weight] : edges) arcs.push_back({from, to, weight});
  std::ranges::sort(arcs);
  graph made{"it", numbers(vertices + 1), {}, {}, false};
  for (const auto& [from, to, weight] : arcs) {
    ++made.first[from + 1];
    made.targets.push_back(to);
    made.weights.push_back(weight);
  }
  std::partial_sum(made.first.begin(), made.first.end(), made.first.begin());
  return made;
}

TEST(build, of_many_edges_is_the_same) {
  for (const std::uint32_t vertices : {7u, 100'000u}) {
    const std::vector<edge> edges = random_edges(vertices, 300'000, vertices);
    const graph made = directed_graph("it", vertices, edges);
    EXPECT_EQ(made, sorted_arcs(vertices, edges));
    EXPECT_EQ(undirected_graph("it", vertices, edges), undirected(made));
    check_simple(undirected(made));
  }
}

TEST(build, transposed_turns_each_arc_around) {
  for (const std::uint32_t vertices : {9u, 1000u}) {
    std::vector<edge> edges = random_edges(vertices, 2000, vertices);
    const graph made = directed_graph("it", vertices, edges);
    EXPECT_EQ(transposed(transposed(made)), made);
    for (edge& each : edges) std::swap(each.from, each.to);
    EXPECT_EQ(transposed(made), directed_graph("it", vertices, edges));
    const graph both_ways = undirected(made);
    EXPECT_EQ(transposed(both_ways), both_ways);
  }
  EXPECT_EQ(transposed(graph{}), graph{});
}

TEST(build, renumbered_is_the_same_with_other_numbers) {
  constexpr std::uint32_t vertices = 1000;
  std::vector<edge> edges = random_edges(vertices, 5000, 1);
  numbers order(vertices);
  std::iota(order.begin(), order.end(), 0u);
  const graph made = directed_graph("it", vertices, edges);
  EXPECT_EQ(renumbered(made, order), made);
  std::ranges::shuffle(order, std::mt19937(2));
  const graph other = renumbered(made, order);
  for (edge& each : edges) {
    each.from = static_cast<std::uint32_t>(std::ranges::find(order, each.from) - order.begin());
    each.to = static_cast<std::uint32_t>(std::ranges::find(order, each.to) - order.begin());
  }
  EXPECT_EQ(other, directed_graph("it", vertices, edges));
}

TEST(build, a_bipartite_graph_has_an_edge_for_each_rated_pair) {
  const graph made = bipartite_graph({"it", 2, 3, {{0, 2, 4.5f}, {1, 0, 1}, {0, 2, 3}, {0, 0, 2}}});
  check_simple(made);
  EXPECT_EQ(made.name, "it");
  EXPECT_EQ(made.first, (numbers{0, 2, 3, 5, 5, 6}));
  EXPECT_EQ(made.targets, (numbers{2, 4, 2, 0, 1, 0}));
  EXPECT_EQ(error_of([] {
              bipartite_graph({"it", 4'000'000'000, 400'000'000, {}});
            }),
            "it: 4400000000 lefts and rights are too many vertices for a graph");
}

TEST(mates, go_back_and_are_each_others) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::vector<edge> edges = random_edges(7, 30, seed);
    const std::size_t one_way = edges.size();
    for (std::size_t i = 0; i < one_way; ++i)
      if (edges[i].from != edges[i].to)
        edges.push_back({edges[i].to, edges[i].from, edges[i].weight});
    const graph both = directed_graph("it", 7, edges);
    const auto mates = mates_of(both);
    ASSERT_TRUE(mates && is_undirected(both));
    for (std::uint32_t u = 0; u < 7; ++u)
      for (std::uint32_t arc = both.first[u]; arc < both.first[u + 1]; ++arc) {
        const std::uint32_t mate = (*mates)[arc];
        EXPECT_EQ((*mates)[mate], arc);
        EXPECT_EQ(both.targets[mate], u);
        EXPECT_EQ(both.weights[mate], both.weights[arc]);
      }
  }
}

TEST(mates, are_missed_where_there_are_none) {
  const auto has_mates = [](std::vector<edge> edges) {
    return mates_of(directed_graph("it", 3, edges)).has_value();
  };
  EXPECT_TRUE(has_mates({{0, 0, 1}}));
  EXPECT_TRUE(has_mates({{0, 1, 1}, {1, 0, 2}}));
  EXPECT_FALSE(has_mates({{0, 1, 1}}));
  EXPECT_FALSE(has_mates({{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}));
  EXPECT_FALSE(has_mates({{0, 1, 1}, {0, 1, 1}, {1, 0, 1}}));
  EXPECT_FALSE(is_undirected(directed_graph("it", 3, std::vector<edge>{{0, 1, 1}, {1, 0, 2}})));
}

}  // namespace
}  // namespace finesync::inputs
