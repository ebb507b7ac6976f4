// A counter that has wrapped around: whether an epoch is over, and where the next one ends.
#include <finesync/barriers/epoch_counter.cuh>
#include <finesync/device/wrap_around.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>

#include <gtest/gtest.h>

#include <cstdint>

namespace finesync {
namespace {

/// \param reached bits of the answers. \param targets of two words.
__global__ void ask(cell<std::uint32_t>* reached, cell<std::uint32_t>* targets) {
  reached[0] = has_reached<std::uint32_t>(5, 0xfffffff8) << 0 |
               has_reached<std::uint32_t>(0xfffffff8, 0xfffffff8) << 1 |
               has_reached<std::uint32_t>(0xfffffff8, 0) << 2 |
               has_reached<std::uint64_t>(1, ~std::uint64_t{0}) << 3 |
               has_reached<std::uint64_t>(~std::uint64_t{0}, 1) << 4;
  const epoch_counter of_six(6);
  targets[0] = of_six.target(0xfffffff9);
  targets[1] = of_six.target(0xfffffff0);
}

TEST(epoch_counter, goes_on_where_its_word_wraps) {
  auto reached = buffer<std::uint32_t>::zeroed(1);
  auto targets = buffer<std::uint32_t>::zeroed(2);
  launch_independent(ask, {1, 1}, reached.device_data(), targets.device_data());
  stream().synchronize();
  EXPECT_EQ(reached.to_host()[0], 0b01011u);
  EXPECT_EQ(targets.to_host()[0], 0u);
  EXPECT_EQ(targets.to_host()[1], 0xfffffff8u);
}

}  // namespace
}  // namespace finesync
