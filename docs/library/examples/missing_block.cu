// A grid barrier written by hand, as many persistent kernels have it. With `await` in place of its
// spin loop the wait has a bound, and the watchdog names the block that never arrives; a GPU's host
// reads that while the kernel hangs. `missing_block none` lets all blocks arrive. See
// docs/correctness.md; the tests compile it for both machines and run it.
#include <finesync/device/await.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <cstdio>
#include <cstring>

using namespace finesync;

namespace {

constexpr unsigned blocks = 8;
constexpr unsigned rounds = 10;

/// By all threads. \returns false if the watchdog ended the wait.
__device__ bool meet(cell<unsigned>* arrived, unsigned round, const watchdog_ref& watchdog) {
  __syncthreads();
  bool gave_up = false;
  if (threadIdx.x == 0) {
    const unsigned goal = round * gridDim.x;
    __threadfence();
    atomicAdd(arrived, 1u);
    // The loop was: while (atomicAdd(arrived, 0u) < goal) {}
    gave_up = !await(watchdog.watching(0), awaited::blocks,
                     [&] { return atomicAdd(arrived, 0u) >= goal; });
    __threadfence();
  }
  return __syncthreads_or(gave_up) == 0;
}

__global__ void work(cell<unsigned>* arrived, unsigned missing, watchdog_ref watchdog) {
  for (unsigned round = 1; round <= rounds; ++round) {
    if (blockIdx.x == missing && round == 7) return;  // the fault
    if (!meet(arrived, round, watchdog)) return;
  }
}

}  // namespace

int main(int count, char** words) {
  const bool none = count > 1 && std::strcmp(words[1], "none") == 0;
  const auto arrived = buffer<unsigned>::zeroed(1, "arrived");
  const watchdog timeout(10'000'000);  // ns
  launch_cooperative(work, {.blocks = blocks, .threads_per_block = 64}, arrived.device_data(),
                     none ? blocks : 5, timeout.ref());
  const waiting_blocks meanwhile = timeout.waits();  // on a GPU, while the kernel hangs
  const auto report = timeout.report();              // when it has ended
  std::printf("%s\n", to_string(meanwhile).c_str());
  std::printf("%s\n", report ? to_string(report->all).c_str() : "all blocks arrived");
  return report.has_value() == none ? 1 : 0;
}
