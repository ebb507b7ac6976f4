// CUB's scan of a block, twice. Broken: its shared memory is used again without a barrier.
#include <cub/block/block_scan.cuh>

__global__ void sums(int* values, bool is_broken) {
  using scan = cub::BlockScan<int, 64, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename scan::TempStorage storage;
  int value = values[threadIdx.x];
  for (int i = 0; i < 2; ++i) {
    scan(storage).InclusiveSum(value, value);  // reported
    if (!is_broken) __syncthreads();
  }
  values[threadIdx.x] = value;
}

int main(int argc, char**) {
  int values[64];
  for (int& each : values) each = 1;
  int* device = nullptr;
  cudaMalloc(&device, sizeof values);
  cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice);
  sums<<<1, 64>>>(device, argc > 1);
  cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost);
  return values[63] == 64 * 65 / 2 ? 0 : 1;
}
