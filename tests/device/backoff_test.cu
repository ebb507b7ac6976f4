// What waiters do between two polls, measured by its duration.
#include <finesync/device/backoff.cuh>
#include <finesync/device/cell.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace finesync {
namespace {

/// The duration of several waits, with these distances.
template <class Backoff>
__global__ void wait_some_times(cell<std::uint32_t>* distances, cell<std::uint64_t>* took,
                                unsigned waits) {
  Backoff backoff;
  for (unsigned i = 0; i < waits; ++i) {
    const std::uint32_t distance = distances[i];
    const std::uint64_t began = global_time_ns();
    backoff.wait(distance);
    took[i] = global_time_ns() - began;
  }
}

/// In units of a thousand nominal ns, rounded down: an operation takes about half of one.
template <class Backoff>
std::vector<std::uint64_t> waits(const std::vector<std::uint32_t>& distances) {
  buffer<std::uint32_t> asked(distances.size());
  asked.copy_from(distances);
  const buffer<std::uint64_t> took(distances.size());
  launch_cooperative(wait_some_times<Backoff>, {1, 1}, asked.device_data(), took.device_data(),
                     static_cast<unsigned>(distances.size()));
  std::vector<std::uint64_t> thousands = took.to_host();
  for (std::uint64_t& ns : thousands) ns /= 1000;
  return thousands;
}

using expected = std::vector<std::uint64_t>;

TEST(backoff, doubles_up_to_its_longest) {
  EXPECT_EQ((waits<exponential_backoff<2000, 10'000>>({1, 1, 1, 1, 1})),
            (expected{2, 4, 8, 10, 10}));
}

TEST(backoff, in_proportion_lets_the_next_in_line_look) {
  EXPECT_EQ((waits<proportional_backoff<3000, 20'000>>({0, 1, 2, 5, 1000, 0xffffffff})),
            (expected{0, 0, 3, 12, 20, 20}));
}

TEST(backoff, may_be_none) {
  EXPECT_EQ(waits<no_backoff>({1, 1000}), (expected{0, 0}));
}

}  // namespace
}  // namespace finesync
