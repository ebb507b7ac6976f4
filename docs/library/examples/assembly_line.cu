// Channels in a user's kernel: the warps of a block as an assembly line. One loads parts, two work
// on them in parallel, one joins the halves and stores the result. Each lane has its own line. See
// docs/library/dataflow.md; the tests compile it for both machines and run it.
#include <finesync/dataflow/channel.cuh>
#include <finesync/dataflow/full_empty_channels.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned blocks = 4;
constexpr unsigned stations = 4;
constexpr unsigned parts_per_lane = 8;
constexpr unsigned parts = blocks * 32 * parts_per_lane;

// Any reusable channel array will do; only this line names one.
using line = full_empty_channels;

__global__ void assemble(const cell<std::uint32_t>* raw, cell<std::uint32_t>* done,
                         watchdog_ref watchdog) {
  const line channels(shared_bytes(), blockDim.x);
  const unsigned lane = lane_id();
  const unsigned station = threadIdx.x / 32;
  // A channel has the number of its producing thread. The last station produces no token, so the
  // first station uses its channels to send to the second worker.
  auto to_cutter = channels.channel_of(lane);
  auto from_cutter = channels.channel_of(32 + lane);
  auto from_painter = channels.channel_of(64 + lane);
  auto to_painter = channels.channel_of(96 + lane);
  if (station == 0) to_cutter.open();
  if (station == 0) to_painter.open();
  if (station == 1) from_cutter.open();
  if (station == 2) from_painter.open();
  __syncthreads();

  for (unsigned i = 0; i < parts_per_lane; ++i) {
    const unsigned part = (blockIdx.x * parts_per_lane + i) * 32 + lane;
    std::uint32_t piece = 0;
    if (station == 0) {
      piece = raw[part];
      if (!put(to_cutter, piece, watchdog) || !put(to_painter, piece, watchdog)) return;
    } else if (station == 1) {
      if (!take(to_cutter, piece, watchdog) || !put(from_cutter, piece / 2, watchdog)) return;
    } else if (station == 2) {
      if (!take(to_painter, piece, watchdog) || !put(from_painter, piece * 3, watchdog)) return;
    } else {
      const auto join = [&](std::uint32_t half, std::uint32_t colour) { piece = half + colour; };
      if (!fire<token_use::consume>(watchdog, join, from_cutter, from_painter)) return;
      done[part] = piece;
    }
  }
}

}  // namespace

int main() {
  buffer<std::uint32_t> raw(parts);
  buffer<std::uint32_t> done(parts);
  std::vector<std::uint32_t> numbers(parts);
  for (unsigned i = 0; i < parts; ++i) numbers[i] = 10 * i + 3;
  raw.copy_from(numbers);
  done.fill_bytes(0);

  const watchdog timeout;
  launch_independent(assemble,
                     {.blocks = blocks,
                      .threads_per_block = 32 * stations,
                      .shared_bytes = line::bytes(32 * stations)},
                     raw.device_data(), done.device_data(), timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a thread waited too long");
    return 1;
  }

  unsigned right = 0;
  const auto found = done.to_host();
  for (unsigned i = 0; i < parts; ++i) right += found[i] == numbers[i] / 2 + numbers[i] * 3;
  std::printf("%u of %u parts right\n", right, parts);
  return right == parts ? 0 : 1;
}
