// Edges, links, capacities and weights are the same in a kernel as on the host, and never change:
// recorded results name graphs by their generators.
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <inputs/graphs/lattices.cuh>
#include <inputs/graphs/mesh.cuh>
#include <inputs/graphs/random_edges.cuh>
#include <inputs/graphs/weights.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace finesync::inputs {
namespace {

constexpr std::uint32_t columns = 11;

__host__ __device__ std::uint32_t drawn(std::uint32_t column, std::uint32_t i) {
  constexpr std::uint32_t seed = 7;
  switch (column) {
    case 0:
      return rmat_edge(ssca2_law(), 20, seed, i).from;
    case 1:
      return rmat_edge(ssca2_law(), 20, seed, i).to;
    case 2:
      return rmat_edge(graph500_law(), 20, seed, i).from;
    case 3:
      return rmat_edge(graph500_law(), 20, seed, i).to;
    case 4:
      return uniform_edge(20, seed, i).to;
    case 5:
      return cycle_edge(7, seed, i).to;
    case 6:
      return grid_links(16, seed, i);
    case 7:
      return road_links(16, seed, i);
    case 8:
      return mesh_capacity(10'000, seed, i, 2);
    case 9:
      return uniform_weight(edge_bits(seed, i, 5), 100);
    default:
      return road_weight(edge_bits(seed, i, 5));
  }
}

__global__ void draw(std::uint32_t* out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  for (std::uint32_t column = 0; column < columns; ++column)
    out[i * columns + column] = drawn(column, i);
}

TEST(generators, are_the_same_in_a_kernel) {
  buffer<std::uint32_t> out(256 * columns);
  launch_independent(draw, {4, 64}, out.raw_pointer());
  const auto in_kernel = out.to_host();
  for (std::uint32_t i = 0; i < 256; ++i)
    for (std::uint32_t column = 0; column < columns; ++column)
      EXPECT_EQ(in_kernel[i * columns + column], drawn(column, i)) << column;
}

TEST(generators, never_change) {
  std::uint32_t found[columns];
  for (std::uint32_t column = 0; column < columns; ++column) found[column] = drawn(column, 200);
  const std::uint32_t expected[columns] = {575568, 625688, 34832, 573504, 934973, 114,
                                           1,      4,      810,   10,     474};
  for (std::uint32_t column = 0; column < columns; ++column)
    EXPECT_EQ(found[column], expected[column]) << column;
}

// Statistics of a sample of New York's weights: mean 1,219, median 917, 99th percentile 4,974.
TEST(weights, of_roads_are_like_real_ones) {
  std::vector<std::uint32_t> drawn;
  double sum = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    drawn.push_back(road_weight(edge_bits(1, i, i + 1)));
    sum += drawn.back();
  }
  std::ranges::sort(drawn);
  EXPECT_GE(drawn.front(), 1u);
  EXPECT_NEAR(drawn[50'000], 917, 15);
  EXPECT_NEAR(drawn[99'000], 5'100, 250);
  EXPECT_NEAR(sum / 100'000, 1'219, 25);
}

TEST(weights, are_uniform_and_the_same_both_ways) {
  double sum = 0;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    EXPECT_EQ(edge_bits(1, i, 3 * i + 1), edge_bits(1, 3 * i + 1, i));
    const std::uint32_t weight = uniform_weight(edge_bits(1, i, i + 1), 100);
    ASSERT_TRUE(weight >= 1 && weight <= 100);
    sum += weight;
  }
  EXPECT_NEAR(sum / 10'000, 50.5, 1.5);
}

}  // namespace
}  // namespace finesync::inputs
