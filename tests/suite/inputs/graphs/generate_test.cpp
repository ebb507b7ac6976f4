// Generated graphs have the shape that their names promise.
#include <inputs/graphs/generate.hpp>
#include <inputs/graphs/mesh.hpp>

#include <fmt/format.h>
#include <tests/suite/inputs/error_of.hpp>
#include <tests/suite/inputs/graphs/check_graph.hpp>

#include <algorithm>
#include <string>
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

// Meshes equal those of the Washington generator, arc by arc.

// FNV-1a of 64 bits.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// The arcs with a capacity, as lines with ids from 1.
std::string lines_of(const flow_network& of) {
  std::string lines;
  for (std::uint32_t u = 0; u < of.arcs.vertices(); ++u)
    for (std::uint32_t arc = of.arcs.first[u]; arc < of.arcs.first[u + 1]; ++arc)
      if (of.arcs.weights[arc] != 0)
        lines += fmt::format("{} {} {}\n", u + 1, of.arcs.targets[arc] + 1, of.arcs.weights[arc]);
  return lines;
}

// The smallest sum of capacities from a column to the next.
std::uint64_t least_column(const flow_network& of, const mesh_shape& shape) {
  std::uint64_t least = max_arcs;
  for (std::uint32_t column = 0; column + 1 < shape.columns; ++column) {
    std::uint64_t sum = 0;
    const std::uint32_t begin = 1 + column * shape.rows;
    for (std::uint32_t arc = of.arcs.first[begin]; arc < of.arcs.first[begin + shape.rows]; ++arc)
      sum += of.arcs.weights[arc];
    least = std::min(least, sum);
  }
  return least;
}

void check_network(const flow_network& of) {
  check_graph(of.arcs);
  ASSERT_EQ(of.mates, mates_of(of.arcs));
  ASSERT_EQ(of.source, 0u);
  ASSERT_EQ(of.sink, of.arcs.vertices() - 1);
}

struct known_mesh {
  mesh_shape shape;
  std::uint32_t seed;
  std::uint64_t hash;  ///< of the lines that the program prints
  std::uint64_t least_column;
};

class washington : public testing::TestWithParam<known_mesh> {};

TEST_P(washington, is_that_of_the_program) {
  const auto& [shape, seed, hash, least] = GetParam();
  const flow_network made = washington_mesh("it", shape, seed);
  check_network(made);
  EXPECT_EQ(made.arcs.vertices(), shape.rows * shape.columns + 2);
  EXPECT_EQ(made.arcs.arcs(), 2 * (3 * shape.rows * shape.columns - shape.rows));
  EXPECT_EQ(hash_of(lines_of(made)), hash);
  EXPECT_EQ(least_column(made, shape), least);
}

INSTANTIATE_TEST_SUITE_P(
    known, washington,
    testing::Values(known_mesh{{4, 4, 10}, 1, 0x53949bc946639537, 68},
                    known_mesh{{8, 8, 100}, 1, 0x5f2d59cce273b302, 1'094},
                    known_mesh{{64, 64, 10'000}, 1, 0x12275ad18818e371, 882'806},
                    known_mesh{{64, 64, 10'000}, 2, 0x01f28ba9a9be9f0a, 859'562},
                    known_mesh{{128, 128, 10'000}, 1, 0xa4024200bb66d4d4, 1'782'567}));

TEST(mesh, draws_its_capacities_in_the_program_s_order) {
  const flow_network made = washington_mesh("it", {4, 4, 10}, 1);
  // In row 2, whose neighbours above and below come before and after: its first capacities are the
  // fourth to sixth drawn.
  const std::uint32_t begin = made.arcs.first[3] - 3;
  EXPECT_EQ((std::vector(&made.arcs.weights[begin], &made.arcs.weights[begin + 3])),
            (std::vector{6u, 4u, 6u}));
}

TEST(mesh, counted_has_the_same_arcs_and_even_capacities) {
  const mesh_shape shape{64, 32, 100};
  const flow_network made = counted_mesh("it", shape, 1);
  check_network(made);
  EXPECT_EQ(made.arcs.first, washington_mesh("it", shape, 1).arcs.first);
  EXPECT_EQ(made.arcs.targets, washington_mesh("it", shape, 1).arcs.targets);
  EXPECT_NE(made, counted_mesh("it", shape, 2));
  double sum = 0;
  double drawn = 0;
  for (const std::uint32_t each : made.arcs.weights) {
    if (each == 0 || each == 300) continue;
    EXPECT_LE(each, 100u);
    sum += each;
    ++drawn;
  }
  EXPECT_EQ(drawn, 3 * 64 * 31);
  EXPECT_NEAR(sum / drawn, 50.5, 2);
}

TEST(mesh, may_be_one_column) {
  const flow_network made = washington_mesh("it", {3, 1, 7}, 1);
  check_network(made);
  EXPECT_EQ(lines_of(made), "1 2 21\n1 3 21\n1 4 21\n2 5 21\n3 5 21\n4 5 21\n");
}

}  // namespace
}  // namespace finesync::inputs
