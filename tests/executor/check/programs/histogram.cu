// A histogram. Broken: the counters begin as whatever is in the memory.
#include <vector>

// Whole tiles are read, but of the last one only what there is counts.
__global__ void count(const int* values, int n, int* counters) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int value = __ldg(values + i);
  if (i < n) atomicAdd(&counters[value % 8], 1);  // reported
}

int main(int argc, char**) {
  constexpr int n = 1000;
  constexpr int threads = 64;
  constexpr int blocks = (n + threads - 1) / threads;
  int* values = nullptr;
  int* counters = nullptr;
  cudaMalloc(&values, blocks * threads * sizeof(int));
  cudaMalloc(&counters, 8 * sizeof(int));
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = i;
  cudaMemcpy(values, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(counters, 0, argc > 1 ? 4 * sizeof(int) : 8 * sizeof(int));
  count<<<blocks, threads>>>(values, n, counters);
  int counted[8];
  cudaMemcpy(counted, counters, sizeof counted, cudaMemcpyDeviceToHost);
  for (const int each : counted)
    if (each != n / 8) return 1;
  return 0;
}
