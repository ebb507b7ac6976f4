// A sum in managed memory. Broken: the host reads it without waiting for the kernel.
#include <cstdio>

__global__ void add(int* sum) {
  atomicAdd(&sum[1], 1);
  __syncthreads();
  if (threadIdx.x == 0) sum[0] = sum[1];
}

int main(int argc, char**) {
  int* sum = nullptr;
  cudaMallocManaged(&sum, 2 * sizeof(int));
  sum[0] = sum[1] = 0;
  add<<<1, 64>>>(sum);
  if (argc == 1) cudaDeviceSynchronize();
  std::printf("%d\n", sum[0]);  // reported
  cudaDeviceSynchronize();
  return sum[0] == 64 ? 0 : 1;
}
