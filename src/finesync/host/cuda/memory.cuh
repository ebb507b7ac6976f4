// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime's part of buffer.cuh.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/owner_label.hpp"
#include "finesync/host/stream.cuh"

#ifndef FINESYNC_HOST_EXECUTOR

#include <cstddef>
#include <string>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// \throws device_memory_error unless this many bytes are free.
inline void require_free(std::size_t bytes) {
  std::size_t free = 0;
  std::size_t all = 0;
  check_cuda(cudaMemGetInfo(&free, &all));
  if (bytes <= free) return;
  throw device_memory_error("its data needs " + std::to_string(bytes) +
                            " bytes of device memory or more, and " + std::to_string(free) +
                            " of " + std::to_string(all) + " are free");
}
inline void* device_allocate(std::size_t bytes, const memory_label& /*label*/) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    require_free(bytes);
    throw device_memory_error("device memory has no " + std::to_string(bytes) +
                              " bytes in one piece");
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
