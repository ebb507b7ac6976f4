// The counter-based random numbers: fixed values (results files depend on them), the same in a
// kernel as on the host, and uniform.
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <inputs/random.cuh>

#include <gtest/gtest.h>

#include <array>

namespace finesync::inputs {
namespace {

__global__ void draw(std::uint32_t* out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = random32(7, 3, i);
}

TEST(random, is_the_same_in_a_kernel) {
  buffer<std::uint32_t> drawn(256);
  launch_independent(draw, {4, 64}, drawn.raw_pointer());
  const auto host = drawn.to_host();
  for (std::uint32_t i = 0; i < 256; ++i) EXPECT_EQ(host[i], random32(7, 3, i));
}

TEST(random, depends_on_seed_stream_and_index) {
  EXPECT_NE(random32(1, 0, 5), random32(2, 0, 5));
  EXPECT_NE(random32(1, 0, 5), random32(1, 1, 5));
  EXPECT_NE(random32(1, 0, 5), random32(1, 0, 6));
}

TEST(random, never_changes) {
  EXPECT_EQ(random32(2019, 0, 0), 1370804987u);
  EXPECT_EQ(random32(2019, 0, 1), 2248268508u);
  EXPECT_EQ(random32(2019, 1, 123456), 2942889327u);
}

TEST(random, is_spread_evenly_over_a_bound) {
  constexpr std::uint32_t bound = 48;
  constexpr std::uint32_t draws = 48'000;
  std::array<double, bound> count{};
  for (std::uint32_t i = 0; i < draws; ++i) ++count.at(bounded(random32(11, 0, i), bound));
  double chi_square = 0;
  const double expected = draws / static_cast<double>(bound);
  for (const double c : count) chi_square += (c - expected) * (c - expected) / expected;
  EXPECT_LT(chi_square, 80);  // 47 degrees of freedom: above 80 once in 500 for true randomness
  EXPECT_GT(chi_square, 20);
}

}  // namespace
}  // namespace finesync::inputs
