// Shapes of several dimensions: what a kernel sees of them, and which are refused.
#include "laid_out.hpp"

#include <finesync/device/cluster.cuh>
#include <finesync/device/numbering.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test::launch_shape_test {
namespace {

/// A thread's numbers as the library has them, where the test's say.
__global__ void note_numbers(cell<std::uint32_t>* numbers) {
  const unsigned me = linear_block() * threads_of_block() + linear_thread();
  const bool first = linear_thread() == 0;
  numbers[me] = block_rank() * block_threads() + thread_rank() +
                (first == is_first_of_block() ? 0 : 1'000'000) +
                (grid_blocks() == blocks_of_grid() ? 0 : 2'000'000);
}

TEST(launch_shape, numbers_x_first) {
  for (const auto& [grid, block] :
       {std::pair{extents{5}, extents{7}}, std::pair{extents{2, 3}, extents{8, 4}},
        std::pair{extents{2, 3, 4}, extents{3, 2, 5}},
        std::pair{extents{1, 1, 3}, extents{1, 9}}}) {
    const launch_shape shape = in_dimensions(grid, block);
    auto numbers = zeroed(shape.blocks * shape.threads_per_block);
    launch_cooperative(note_numbers, shape, numbers.device_data());
    const auto found = numbers.to_host();
    for (unsigned i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i);
  }
}

__global__ void note_clusters(cell<std::uint32_t>* clusters) {
  if (is_first_of_block()) clusters[block_rank()] = cluster_index() * 100 + cluster_rank();
}

TEST(launch_shape, has_clusters_along_x) {
  launch_shape shape = in_dimensions({4, 2}, {2, 2});
  shape.cluster_blocks = 2;
  auto clusters = zeroed(shape.blocks);
  launch_cooperative(note_clusters, shape, clusters.device_data());
  EXPECT_EQ(clusters.to_host(), (std::vector<std::uint32_t>{0, 1, 100, 101, 200, 201, 300, 301}));
}

std::string refusal_of(const launch_shape& shape) {
  const auto numbers = zeroed(1024);
  return test::refusal_of<launch_error>(
      [&] { launch_cooperative(note_numbers, shape, numbers.device_data()); });
}

TEST(launch_shape, refuses_extents_of_another_number) {
  launch_shape shape = in_dimensions({2, 3}, {8, 4});
  EXPECT_EQ(refusal_of(shape), "");
  shape.blocks = 7;
  EXPECT_EQ(refusal_of(shape), "extents of 6 blocks in a shape of 7");
  shape.blocks = 6;
  shape.block = extents{8, 3};
  EXPECT_EQ(refusal_of(shape), "extents of 24 threads in a shape of 32");
}

TEST(launch_shape, refuses_clusters_across_rows) {
  launch_shape shape = in_dimensions({3, 2}, {8, 4});
  shape.cluster_blocks = 2;
  EXPECT_EQ(refusal_of(shape), "a grid of 3 blocks in x does not divide into clusters of 2 blocks");
}

__global__ void run_in_one_dimension(cell<std::uint32_t>* ran) {
  assume_one_dimension();
  *ran = 1;
}

TEST(launch_shape, is_checked_by_kernels_of_one_dimension) {
  auto ran = zeroed(1);
  launch_cooperative(run_in_one_dimension, {.blocks = 1, .threads_per_block = 1},
                     ran.device_data());
  EXPECT_EQ(ran.to_host()[0], 1u);
  for (const auto& shape : {in_dimensions({1, 2}, {1}), in_dimensions({1, 1, 2}, {1}),
                            in_dimensions({1}, {1, 2}), in_dimensions({1}, {1, 1, 2})})
    EXPECT_THROW(launch_cooperative(run_in_one_dimension, shape, ran.device_data()),
                 std::logic_error);
}

}  // namespace
}  // namespace finesync::test::launch_shape_test
