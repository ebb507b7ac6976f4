// Tokens arrive once, in order and with the earlier writes: over a thousand schedules of each
// channel and graph. A token that is forwarded without a branch arrives, and one that never comes
// is not made up.
#include "channel_kernels.cuh"

#include <finesync/dataflow/early_wake_channels.cuh>
#include <finesync/dataflow/full_empty_channels.cuh>

#include <tests/catalogue/channels.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::channels_test {
namespace {

template <class ChannelArray>
class channels : public ::testing::Test {
 protected:
  static void hold(const experiment<bool>& right) {
    expect_right_in_any_memory(seed_budget(250), right);
  }
};
TYPED_TEST_SUITE(channels, test_types_channels, test_types_channels_names);

TYPED_TEST(channels, carry_many_tokens_one_by_one) {
  this->hold([] { return pipes<TypeParam>({}); });
}

TYPED_TEST(channels, carry_tokens_within_a_warp) {
  if (TypeParam::by_warps) GTEST_SKIP() << "it goes from warp to warp";
  this->hold([] { return pipes<TypeParam>({.users = 7, .step = 1}); });
  this->hold([] { return pipes<TypeParam>({.users = 40, .step = 3, .tokens = 2}); });
}

TYPED_TEST(channels, are_read_by_many) {
  if (!TypeParam::many_readers) GTEST_SKIP() << "it has one consumer";
  this->hold([] { return shares<TypeParam>({.users = 128, .tokens = 2}); });
  if (!TypeParam::by_warps)
    this->hold([] { return shares<TypeParam>({.users = 9, .step = 2, .tokens = 2}); });
}

TYPED_TEST(channels, meet_in_a_diamond) {
  this->hold([] { return meets_in_diamond<TypeParam>({.tokens = 2}); });
}

TYPED_TEST(channels, take_no_harm_from_a_thread_that_stands_aside) {
  // One step of one thread, in each warp, is delayed at a time.
  constexpr graph small{.users = 64, .tokens = 2, .watchdog_ns = 2'000'000};
  const auto right = [&] { return ends_right([&] { return pipes<TypeParam>(small); }); };
  EXPECT_EQ(failing_preemptions(60, 500, right, 1), 0u);
}

constexpr unsigned threads = 64;
constexpr std::uint32_t nothing = 7'000'000;

struct channel_memory {
  alignas(16) unsigned char words[2 * 4 * threads];
};

/// The first warp gives its tokens after a while, or never; the second forwards them. While they do
/// not come, block 1 changes memory, as otherwise the executor reports a livelock before the
/// watchdog fires.
template <class ChannelArray>
__global__ void forward_late(bool comes, cell<std::uint32_t>* got, cell<std::uint32_t>* forwarded,
                             cell<std::uint32_t>* beats, watchdog_ref watchdog) {
  using word = atomic_ref<std::uint32_t, scope::device>;
  if (blockIdx.x == 1) {
    bounded_wait wait(watchdog);
    while (!comes && !wait.timed_out()) word(*beats).fetch_add(1, memory_order::relaxed);
    return;
  }
  auto& memory = shared_storage<channel_memory>();
  const ChannelArray channels(memory.words, 2 * threads);
  const unsigned lane = threadIdx.x % 32;
  auto in = channels.channel_of(lane);
  auto out = channels.channel_of(32 + lane);
  if (threadIdx.x < 32) in.open();
  if (threadIdx.x >= 32) out.open();
  __syncthreads();
  if (threadIdx.x < 32) {
    if (!comes) return;
    for (unsigned i = 0; i < 100; ++i) word(*beats).fetch_add(1, memory_order::relaxed);
    in.give(lane);
    return;
  }
  std::uint32_t given = nothing;
  const bool done = forward(
      in, out, [](std::uint32_t token) { return token + 1000; }, given, watchdog);
  std::uint32_t found = nothing;
  got[lane] = out.try_read(found) ? found : nothing;
  forwarded[lane] = done ? given : nothing;
}

template <class ChannelArray>
void expect_forwarded(bool comes) {
  const buffer<std::uint32_t> got(32);
  const buffer<std::uint32_t> forwarded(32);
  const bool ended =
      ends(watchdog(soon_ns), forward_late<ChannelArray>,
           {.blocks = 2, .threads_per_block = threads, .shared_bytes = sizeof(channel_memory)},
           comes, got, forwarded, zeroed(1));
  EXPECT_EQ(ended, comes);
  std::vector<std::uint32_t> expected(32, nothing);
  if (comes) std::iota(expected.begin(), expected.end(), 1000u);
  EXPECT_EQ(got.to_host(), expected);
  EXPECT_EQ(forwarded.to_host(), expected);
}

TEST(forward, gives_a_token_that_is_slow_to_come) {
  expect_forwarded<full_empty_channels>(true);
  expect_forwarded<early_wake_channels>(true);
}

TEST(forward, gives_nothing_when_no_token_comes) {
  expect_forwarded<full_empty_channels>(false);
  expect_forwarded<early_wake_channels>(false);
}

}  // namespace
}  // namespace finesync::test::channels_test
