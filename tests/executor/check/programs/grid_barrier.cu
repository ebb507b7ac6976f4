// Cooperative groups' grid barrier between two phases. Broken: a barrier of the block instead.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void phases(int* written, int* read, bool is_broken) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned n = gridDim.x * blockDim.x;
  written[i] = static_cast<int>(i);
  if (is_broken)
    __syncthreads();
  else
    cg::this_grid().sync();
  read[i] = written[n - 1 - i];  // reported
}

int main(int argc, char**) {
  constexpr int blocks = 4;
  constexpr int threads = 32;
  constexpr int n = blocks * threads;
  int* written = nullptr;
  int* read = nullptr;
  bool is_broken = argc > 1;
  cudaMalloc(&written, n * sizeof(int));
  cudaMalloc(&read, n * sizeof(int));
  void* arguments[] = {&written, &read, &is_broken};
  if (cudaLaunchCooperativeKernel(phases, dim3(blocks), dim3(threads), arguments, 0, nullptr) != 0)
    return 1;
  int result[n];
  cudaMemcpy(result, read, sizeof result, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    if (result[i] != n - 1 - i) return 1;
  return 0;
}
