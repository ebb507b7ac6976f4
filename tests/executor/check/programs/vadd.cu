// Vector addition. Broken: one thread too many.
#include <vector>

__global__ void add(const float* a, const float* b, float* sum, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) sum[i] = a[i] + b[i];  // reported
}

int main(int argc, char**) {
  constexpr int n = 1000;
  std::vector<float> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = static_cast<float>(i);
  float* device[3] = {};
  for (float*& each : device) cudaMalloc(&each, n * sizeof(float));
  cudaMemcpy(device[0], numbers.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device[1], numbers.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  add<<<(n + 63) / 64, 64>>>(device[0], device[1], device[2], argc > 1 ? n + 1 : n);
  if (cudaMemcpy(numbers.data(), device[2], n * sizeof(float), cudaMemcpyDeviceToHost) != 0)
    return 1;
  for (int i = 0; i < n; ++i)
    if (numbers[i] != 2.0f * static_cast<float>(i)) return 1;
  return 0;
}
