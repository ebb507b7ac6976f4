// A grid barrier in a user's kernel: heat flows along a rod, step by step, with a barrier of all
// blocks between steps. Without it, each step would be a kernel launch. The tests compile it for
// both machines and run it.
#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <cstdio>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned points = 3000;
constexpr unsigned steps = 100;

__host__ __device__ float mean(float left, float right) {
  return 0.5f * (left + right);
}

// Jacobi's method: every inner point becomes the mean of its neighbours. Steps alternate between
// two copies of the rod; its ends do not change.
template <class Barrier>
__global__ void relax(Barrier barrier, cell<float>* rod, watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);  // once, by all threads
  for (unsigned step = 0; step < steps; ++step) {
    const cell<float>* from = rod + step % 2 * points;
    cell<float>* to = rod + (step + 1) % 2 * points;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x + 1; i + 1 < points;
         i += gridDim.x * blockDim.x)
      to[i] = mean(from[i - 1], from[i + 1]);
    // Now all blocks see what all blocks wrote. False: the watchdog ended the wait.
    if (!participant.wait()) return;
  }
}

/// Both copies: cold, with one hot end.
std::vector<float> cold_rod() {
  std::vector<float> rod(2 * points, 0.0f);
  rod[0] = rod[points] = 100.0f;
  return rod;
}

/// The same, one point after the other.
std::vector<float> relaxed_by_host() {
  std::vector<float> rod = cold_rod();
  for (unsigned step = 0; step < steps; ++step) {
    const float* from = rod.data() + step % 2 * points;
    float* to = rod.data() + (step + 1) % 2 * points;
    for (unsigned i = 1; i + 1 < points; ++i) to[i] = mean(from[i - 1], from[i + 1]);
  }
  return rod;
}

}  // namespace

int main() {
  buffer<float> rod(2 * points);
  rod.copy_from(cold_rod());

  // Two blocks per SM. A cooperative launch fails if the blocks of the grid do not all fit at once.
  const launch_shape shape{.blocks = 2 * static_cast<unsigned>(current_gpu().sms),
                           .threads_per_block = 128};
  const autotuned_barrier barrier(shape);
  const watchdog timeout;
  launch_cooperative(relax<decltype(barrier.ref())>, shape, barrier.ref(), rod.device_data(),
                     timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a block waited too long");
    return 1;
  }

  // The same operations in the same order: equal to the last bit.
  const bool right = rod.to_host() == relaxed_by_host();
  std::printf("%u points, %u steps: %s\n", points, steps, right ? "right" : "wrong");
  return right ? 0 : 1;
}
