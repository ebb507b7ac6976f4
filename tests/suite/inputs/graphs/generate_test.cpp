// Generated graphs have the shape that their names promise.
#include <inputs/graphs/generate.hpp>

#include <tests/suite/inputs/error_of.hpp>
#include <tests/suite/inputs/graphs/check_graph.hpp>

#include <algorithm>
#include <vector>

namespace finesync::inputs {
namespace {

struct counts {
  std::uint32_t components = 0;
  std::uint32_t largest_degree = 0;
  std::uint32_t least_degree = max_arcs;
  std::uint32_t depth = 0;  // of a search from vertex 0
};

counts counts_of(const graph& of) {
  counts counted;
  std::vector<std::uint32_t> levels(of.vertices(), max_arcs);
  for (std::uint32_t root = 0; root < of.vertices(); ++root) {
    const std::uint32_t degree = of.first[root + 1] - of.first[root];
    counted.largest_degree = std::max(counted.largest_degree, degree);
    counted.least_degree = std::min(counted.least_degree, degree);
    if (levels[root] != max_arcs) continue;
    ++counted.components;
    levels[root] = 0;
    std::vector<std::uint32_t> met{root};
    for (std::size_t i = 0; i < met.size(); ++i)
      for (std::uint32_t arc = of.first[met[i]]; arc < of.first[met[i] + 1]; ++arc)
        if (std::uint32_t& level = levels[of.targets[arc]]; level == max_arcs) {
          level = levels[met[i]] + 1;
          met.push_back(of.targets[arc]);
        }
    if (root == 0) counted.depth = levels[met.back()];
  }
  return counted;
}

class every_graph : public testing::TestWithParam<const char*> {};

TEST_P(every_graph, is_simple_and_depends_on_the_seed_alone) {
  const graph made = generate_graph(GetParam(), 1);
  check_simple(made);
  EXPECT_EQ(made.name, GetParam());
  EXPECT_GE(std::ranges::min(made.weights), 1u);
  EXPECT_EQ(made, generate_graph(GetParam(), 1));
  EXPECT_NE(made.targets, generate_graph(GetParam(), 2).targets);
}

INSTANTIATE_TEST_SUITE_P(small, every_graph,
                         testing::Values("rmat/12", "rmat-graph500/12", "r4/12", "r4-cycle/12",
                                         "grid/50", "road/4000", "path-shuffled/300"));

TEST(generated, may_be_as_small_as_can_be) {
  for (const char* const name :
       {"rmat/1",        "rmat-graph500/1", "r4/1",          "r4-cycle/1",      "grid/1",
        "grid/2",        "road/1",          "road/2",        "road/3",          "road/5",
        "path/2",        "path-falling/2",  "path-random/2", "path-shuffled/2", "path-pairs/2",
        "path-merges/2", "path-chains/2",   "caterpillar/2", "comb/2",          "comb/3",
        "star/2",        "star-paths/2",    "star-paths/5",  "clique/2",        "cliques/2",
        "cliques/9",     "hub/2",           "hub/3"})
    check_simple(generate_graph(name, 1));
}

// Three programs with the same law made 968,060 to 968,774; the published graph has 967,866.
TEST(rmat, has_as_many_arcs_as_the_published_one) {
  const graph made = generate_graph("rmat/16", 2019);
  EXPECT_EQ(made.vertices(), 65'536u);
  EXPECT_NEAR(made.arcs(), 968'000, 1'500);
  EXPECT_NEAR(counts_of(made).largest_degree, 590, 60);
  EXPECT_GT(std::ranges::max(made.weights), 65'000u);
  EXPECT_LE(std::ranges::max(made.weights), 65'536u);
}

TEST(rmat, of_graph500_has_larger_hubs) {
  const graph made = generate_graph("rmat-graph500/16", 2019);
  EXPECT_GT(counts_of(made).largest_degree, 5'000u);
  EXPECT_LE(std::ranges::max(made.weights), 100u);
}

TEST(r4, has_two_edges_per_vertex_and_by_a_cycle_four_and_one_component) {
  const graph random = generate_graph("r4/16", 2019);
  EXPECT_NEAR(random.arcs(), 4 * 65'536, 60);
  EXPECT_GT(counts_of(random).components, 500u);
  const graph cycle = generate_graph("r4-cycle/16", 2019);
  EXPECT_NEAR(cycle.arcs(), 8 * 65'536, 120);
  EXPECT_EQ(counts_of(cycle).components, 1u);
  EXPECT_EQ(counts_of(cycle).least_degree, 2u);
}

TEST(grid, lacks_three_edges_of_ten) {
  const graph made = generate_graph("grid/300", 2019);
  EXPECT_EQ(made.vertices(), 90'000u);
  EXPECT_NEAR(made.arcs() / (4.0 * 300 * 299), 0.7, 0.005);
  EXPECT_LE(counts_of(made).largest_degree, 4u);
  EXPECT_GT(counts_of(made).components, 100u);
  for (std::uint32_t u = 0; u < made.vertices(); ++u)
    for (std::uint32_t arc = made.first[u]; arc < made.first[u + 1]; ++arc) {
      const std::uint32_t v = made.targets[arc];
      const std::uint32_t apart = std::max(u, v) - std::min(u, v);
      ASSERT_TRUE(apart == 300 || (apart == 1 && std::max(u, v) % 300 != 0));
    }
}

// Of the roads of New York, 264,346 vertices, a search from vertex 1 has 619 levels.
TEST(road, has_the_degree_and_the_diameter_of_roads) {
  const graph made = generate_graph("road/264346", 2019);
  const counts counted = counts_of(made);
  EXPECT_EQ(made.vertices(), 264'346u);
  EXPECT_EQ(counted.components, 1u);
  EXPECT_LE(counted.largest_degree, 8u);
  EXPECT_NEAR(double{1} * made.arcs() / made.vertices(), 2.41, 0.01);
  EXPECT_NEAR(counted.depth, 680, 80);
}

TEST(generated, a_wrong_name_is_one_line) {
  EXPECT_EQ(error_of([] { generate_graph("bgg", 1); }), "bgg: there is no such generator");
  for (const std::string size : {"/", "/0", "/-1", "/2x", "/1/1", "/99999999999", "/28"})
    EXPECT_EQ(error_of([&] { generate_graph("rmat" + size, 1); }),
              "rmat" + size + ": the text after '/' must be a whole number from 1 to 27");
  EXPECT_EQ(error_of([] { generate_network("rmat/4", 1); }), "rmat/4: there is no such generator");
  for (const std::string size :
       {"/", "/4", "/x", "/4x", "/x4", "/2x4", "/4x0", "/4x4x4", "/100000x100000", "/4294967297x4"})
    EXPECT_EQ(error_of([&] { generate_network("mesh" + size, 1); }),
              "mesh" + size +
                  ": the text after '/' must be ROWSxCOLUMNS, 3 rows or more and 500000000 "
                  "vertices at most");
  for (const std::string size : {"/", "/0", "/4x4", "/x", "/15000001"})
    EXPECT_EQ(error_of([&] { generate_network("ak" + size, 1); }),
              "ak" + size + ": the text after '/' must be a whole number from 1 to 15000000");
  for (const std::string size : {"/4", "/0x4", "/4x0", "/100000x100000"})
    EXPECT_EQ(
        error_of([&] { generate_network("layered" + size, 1); }),
        "layered" + size + ": the text after '/' must be WIDTHxLAYERS, 60000000 vertices at most");
}

}  // namespace
}  // namespace finesync::inputs
