// A spin lock. Broken: unlocking releases nothing.
#include <cstdio>

__device__ int lock_word;

template <bool IsBroken>
__global__ void count(int* counter) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock_word, 0, 1) != 0) {
  }
  __threadfence();
  ++*counter;  // reported
  if (!IsBroken) __threadfence();
  atomicExch(&lock_word, 0);
}

int main(int argc, char**) {
  int* counter = nullptr;
  int counted = 0;
  cudaMalloc(&counter, sizeof *counter);
  cudaMemset(counter, 0, sizeof *counter);
  if (argc > 1)
    count<true><<<16, 32>>>(counter);
  else
    count<false><<<16, 32>>>(counter);
  cudaMemcpy(&counted, counter, sizeof counted, cudaMemcpyDeviceToHost);
  return counted == 16 ? 0 : 1;
}
