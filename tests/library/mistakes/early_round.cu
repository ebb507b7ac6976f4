// Block 0 scales values for block 1, and hands over the next ones before the last are read:
// CMakeLists.txt has what is reported.
#include <finesync/events/event_words.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <cstdio>

using namespace finesync;

constexpr unsigned rounds = 3;

__global__ void scale(event_words<>::ref_type scaled, cell<unsigned>* sums, watchdog_ref watchdog) {
  const auto own = scaled.share_of(0);
  unsigned sum = 0;
  for (unsigned round = 1; round <= rounds; ++round) {
    if (blockIdx.x == 0) {
      own.put(round, [&](unsigned, unsigned index) { return event_data{round * index, 0, 0}; });
    } else {
      const auto add = [&](unsigned, unsigned, const event_data& data) { sum += data.first; };
      if (!own.take(round, watchdog, add)) return;
      __syncthreads();
    }
  }
  if (blockIdx.x == 1) sums[threadIdx.x] = sum;
}

int main() {
  event_words<> scaled(1, 600, "scale");
  const auto sums = buffer<unsigned>::zeroed(64, "sums");
  const watchdog timeout;
  launch_cooperative(scale, {.blocks = 2, .threads_per_block = 64}, scaled.ref(),
                     sums.device_data(), timeout.ref());
  if (const auto report = timeout.report()) std::printf("%s\n", to_string(*report).c_str());
  return timeout.fired() ? 1 : 0;
}
