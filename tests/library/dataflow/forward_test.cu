// A token that is forwarded without a branch: it arrives, and one that never comes is not made up.
#include <finesync/dataflow/early_wake_channels.cuh>
#include <finesync/dataflow/full_empty_channels.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <gtest/gtest.h>

#include <cstdint>

namespace finesync {
namespace {

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
  buffer<std::uint32_t> got(32);
  buffer<std::uint32_t> forwarded(32);
  auto beats = buffer<std::uint32_t>::zeroed(1);
  const watchdog timeout(1'000'000);
  launch_cooperative(
      forward_late<ChannelArray>,
      {.blocks = 2, .threads_per_block = threads, .shared_bytes = sizeof(channel_memory)}, comes,
      got.device_data(), forwarded.device_data(), beats.device_data(), timeout.ref());
  stream().synchronize();
  EXPECT_EQ(timeout.fired(), !comes);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(got.to_host()[lane], comes ? lane + 1000 : nothing) << lane;
    EXPECT_EQ(forwarded.to_host()[lane], comes ? lane + 1000 : nothing) << lane;
  }
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
}  // namespace finesync
