// The CUDA runtime's part of buffer.cuh.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/stream.cuh"

#ifndef FINESYNC_HOST_EXECUTOR

#include <cstddef>
#include <new>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

inline void* device_allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw std::bad_alloc();
  }
  check_cuda(status);
  return memory;
}
// Destructors must not throw; a failing cudaFree shows at the next checked call.
inline void device_free(void* memory) noexcept {
  cudaFree(memory);
}
inline void device_fill(void* memory, int byte, std::size_t bytes, const stream& on) {
  check_cuda(cudaMemsetAsync(memory, byte, bytes, on.handle()));
}
/// Copies from or to the host; complete on return, so the host's memory need not be pinned.
inline void device_copy(void* to, const void* from, std::size_t bytes, const stream& on) {
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, on.handle()));
  check_cuda(cudaStreamSynchronize(on.handle()));
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI

#endif
