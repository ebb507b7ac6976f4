// What waiters do between two polls, measured by its duration.
#include <finesync/device/backoff.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/device/heterosync_backoff.cuh>

#include <tests/library/harness/harness.hpp>

#include <set>

namespace finesync::test {
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

/// In nominal ns, with the operation that ends each.
template <class Backoff>
std::vector<std::uint64_t> durations(const std::vector<std::uint32_t>& distances) {
  buffer<std::uint32_t> asked(distances.size());
  asked.copy_from(distances);
  const buffer<std::uint64_t> took(distances.size());
  launch_cooperative(wait_some_times<Backoff>, {1, 1}, asked.device_data(), took.device_data(),
                     static_cast<unsigned>(distances.size()));
  return took.to_host();
}

/// In units of a thousand nominal ns, rounded down: an operation takes about half of one.
template <class Backoff>
std::vector<std::uint64_t> waits(const std::vector<std::uint32_t>& distances) {
  std::vector<std::uint64_t> thousands = durations<Backoff>(distances);
  for (std::uint64_t& ns : thousands) ns /= 1000;
  return thousands;
}

using expected = std::vector<std::uint64_t>;

TEST(backoff, doubles_up_to_its_longest) {
  EXPECT_EQ((waits<exponential_backoff<2000, 10'000>>({1, 1, 1, 1, 1})),
            (expected{2, 4, 8, 10, 10}));
}

TEST(backoff, of_heterosync_doubles_and_adds_one) {
  const std::vector<std::uint64_t> took =
      durations<heterosync_backoff>(std::vector<std::uint32_t>(11, 1));
  const std::uint64_t operation = took[0] - 3;
  expected slept;
  for (const std::uint64_t ns : took) slept.push_back(ns - operation);
  EXPECT_EQ(slept, (expected{3, 7, 15, 31, 63, 127, 255, 511, 1023, 1023, 1023}));
}

/// The rounds that each thread skips after its n-th failure.
__global__ void skip_rounds(cell<std::uint32_t>* skipped, unsigned failures) {
  random_round_backoff<4, 16> backoff;
  for (unsigned n = 0; n < failures; ++n) {
    std::uint32_t rounds = 0;
    backoff.begin();
    while (!backoff.over()) ++rounds;
    skipped[(n * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = rounds;
  }
}

TEST(backoff, in_random_rounds_skips_other_numbers_in_other_threads) {
  constexpr unsigned threads = 64;
  const std::vector<unsigned> bounds{4, 8, 16, 16};
  buffer<std::uint32_t> skipped(threads * bounds.size());
  launch_cooperative(skip_rounds, {2, threads / 2}, skipped.device_data(),
                     static_cast<unsigned>(bounds.size()));
  const std::vector<std::uint32_t> all = skipped.to_host();
  for (unsigned n = 0; n < bounds.size(); ++n) {
    std::set<std::uint32_t> seen;
    for (unsigned t = 0; t < threads; ++t) seen.insert(all[n * threads + t]);
    EXPECT_GE(seen.size(), bounds[n] / 2) << n;
    EXPECT_LT(*seen.rbegin(), bounds[n]) << n;
  }
  std::vector<std::uint32_t> of_first_block, of_second_block;
  for (unsigned n = 0; n < bounds.size(); ++n) {
    const auto begin = all.begin() + std::ptrdiff_t{n} * threads;
    of_first_block.insert(of_first_block.end(), begin, begin + threads / 2);
    of_second_block.insert(of_second_block.end(), begin + threads / 2, begin + threads);
  }
  EXPECT_NE(of_first_block, of_second_block);
}

/// The most rounds skipped after the first failure that follows a success.
__global__ void skip_after_success(cell<std::uint32_t>* most) {
  random_round_backoff<2, 64> backoff;
  for (unsigned i = 0; i < 5; ++i) backoff.begin();
  for (unsigned trial = 0; trial < 20; ++trial) {
    std::uint32_t rounds = 0;
    backoff.restart();
    backoff.begin();
    while (!backoff.over()) ++rounds;
    if (rounds > *most) *most = rounds;
  }
}

TEST(backoff, in_random_rounds_begins_anew_after_a_success) {
  auto most = zeroed(1);
  launch_cooperative(skip_after_success, {1, 1}, most.device_data());
  EXPECT_LT(most.to_host()[0], 2u);
}

TEST(backoff, in_random_time_sleeps_below_a_bound_that_doubles) {
  const std::vector<std::uint64_t> took =
      waits<random_backoff<8000, 64'000>>(std::vector<std::uint32_t>(40, 1));
  EXPECT_LE(took[0], 8u);
  EXPECT_LE(took[1], 16u);
  EXPECT_LE(*std::ranges::max_element(took), 64u);
  EXPECT_GE(*std::ranges::max_element(took), 32u);
  EXPECT_LE(*std::ranges::min_element(took.begin() + 3, took.end()), 32u);
}

TEST(backoff, in_proportion_lets_the_next_in_line_look) {
  EXPECT_EQ((waits<proportional_backoff<3000, 20'000>>({0, 1, 2, 5, 1000, 0xffffffff})),
            (expected{0, 0, 3, 12, 20, 20}));
}

TEST(backoff, may_be_none) {
  EXPECT_EQ(waits<no_backoff>({1, 1000}), (expected{0, 0}));
}

}  // namespace
}  // namespace finesync::test
