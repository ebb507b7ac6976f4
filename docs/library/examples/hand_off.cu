// A kernel in plain CUDA, to be checked for races: each block adds its number to the sum of the
// block before. `hand_off unfenced` leaves a fence out. See docs/library/using.md; the tests
// compile it for both machines and run it as the document says.
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <cstdio>
#include <cstring>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned blocks = 8;

template <bool Fenced>
__global__ void add_up(cell<unsigned>* sums, cell<unsigned>* ready, watchdog_ref watchdog) {
  const unsigned me = blockIdx.x;
  bounded_wait waiting(watchdog, awaited::token);
  while (me > 0 && atomicAdd(&ready[me - 1], 0u) == 0) {
    if (waiting.timed_out()) return;
  }
  __threadfence();
  sums[me] = me + (me > 0 ? sums[me - 1] : 0u);
  if (Fenced) __threadfence();
  atomicExch(&ready[me], 1u);
}

template <bool Fenced>
bool adds_up() {
  buffer<unsigned> sums(blocks, "sums");
  buffer<unsigned> ready(blocks, "ready");
  ready.fill_bytes(0);
  const watchdog timeout;
  launch_cooperative(add_up<Fenced>, {.blocks = blocks, .threads_per_block = 1}, sums.device_data(),
                     ready.device_data(), timeout.ref());
  return sums.to_host().back() == blocks * (blocks - 1) / 2;
}

}  // namespace

int main(int count, char** words) {
  const bool unfenced = count > 1 && std::strcmp(words[1], "unfenced") == 0;
  const bool right = unfenced ? adds_up<false>() : adds_up<true>();
  std::printf("the sum of %u blocks is %s\n", blocks, right ? "right" : "wrong");
  return right ? 0 : 1;
}
