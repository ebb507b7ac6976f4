// Meshes equal those of the Washington generator, arc by arc.
#include <inputs/graphs/mesh.hpp>

#include <fmt/format.h>
#include <tests/suite/inputs/graphs/check_graph.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace finesync::inputs {
namespace {

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
