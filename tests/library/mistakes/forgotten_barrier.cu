// A histogram whose author forgot a barrier; CMakeLists.txt has what is reported.
#include <finesync/device/shared_storage.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>

using namespace finesync;

struct bins {
  cell<unsigned> count[32];
};

__global__ void histogram(const cell<unsigned>* values, cell<unsigned>* counts) {
  bins& mine = shared_storage<bins>();
  mine.count[threadIdx.x] = 0;
  // __syncthreads();
  atomicAdd_block(&mine.count[values[threadIdx.x] % 32], 1u);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], unsigned{mine.count[threadIdx.x]});
}

int main() {
  const auto values = buffer<unsigned>::zeroed(32, "values");
  const auto counts = buffer<unsigned>::zeroed(32, "counts");
  launch_cooperative(histogram,
                     {.blocks = 1, .threads_per_block = 32, .shared_bytes = sizeof(bins)},
                     values.device_data(), counts.device_data());
  return counts.to_host()[0] == 32 ? 0 : 1;
}
