// A split-phase barrier: heat flows along a rod, and each block has a piece of it. Its neighbours
// need only the two ends of the piece in each step. The block computes those, arrives, and computes
// the rest before it waits. The tests compile it for both machines and run it.
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

constexpr unsigned points_of_block = 200;
constexpr unsigned steps = 100;

__host__ __device__ float mean(float left, float right) {
  return 0.5f * (left + right);
}

// Steps alternate between two copies of the rod, each with all pieces and one point at either end.
template <class Barrier>
__global__ void relax_pieces(Barrier barrier, cell<float>* rod, watchdog_ref watchdog) {
  const unsigned points = gridDim.x * points_of_block + 2;
  const unsigned first = blockIdx.x * points_of_block + 1;
  const unsigned last = first + points_of_block - 1;
  auto participant = barrier.join(watchdog);
  for (unsigned step = 0; step < steps; ++step) {
    const cell<float>* from = rod + step % 2 * points;
    cell<float>* to = rod + (step + 1) % 2 * points;
    const auto update = [&](unsigned i) { to[i] = mean(from[i - 1], from[i + 1]); };

    if (threadIdx.x == 0) update(first);
    if (threadIdx.x == 1) update(last);
    const arrival_token mine =
        participant.arrive();  // the points that others read in this step are written
    for (unsigned i = first + 1 + threadIdx.x; i < last; i += blockDim.x) update(i);
    if (!participant.wait(mine)) return;  // and now theirs may be read
  }
}

/// Both copies: cold, with one hot end.
std::vector<float> cold_rod(unsigned points) {
  std::vector<float> rod(2 * points, 0.0f);
  rod[0] = rod[points] = 100.0f;
  return rod;
}

/// The same, one point after the other.
std::vector<float> relaxed_by_host(unsigned points) {
  std::vector<float> rod = cold_rod(points);
  for (unsigned step = 0; step < steps; ++step) {
    const float* from = rod.data() + step % 2 * points;
    float* to = rod.data() + (step + 1) % 2 * points;
    for (unsigned i = 1; i + 1 < points; ++i) to[i] = mean(from[i - 1], from[i + 1]);
  }
  return rod;
}

}  // namespace

int main() {
  const launch_shape shape{.blocks = 2 * static_cast<unsigned>(current_gpu().sms),
                           .threads_per_block = 64};
  const unsigned points = shape.blocks * points_of_block + 2;
  buffer<float> rod(2 * points);
  rod.copy_from(cold_rod(points));

  const autotuned_barrier barrier(shape);
  const watchdog timeout;
  launch_cooperative(relax_pieces<decltype(barrier.ref())>, shape, barrier.ref(), rod.device_data(),
                     timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a block waited too long");
    return 1;
  }

  // The same operations in the same order: equal to the last bit.
  const bool right = rod.to_host() == relaxed_by_host(points);
  std::printf("pieces of %u points, %u steps: %s\n", points_of_block, steps,
              right ? "right" : "wrong");
  return right ? 0 : 1;
}
