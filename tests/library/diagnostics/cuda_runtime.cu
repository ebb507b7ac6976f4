// A program that allocates by CUDA's runtime, which the host executor lacks (check_errors.py).
// error: the host executor has no <cuda_runtime.h>: use finesync/host/buffer.cuh and stream.cuh
#include <cuda_runtime.h>

int main() {
  void* memory = nullptr;
  return cudaMalloc(&memory, 4);
}
