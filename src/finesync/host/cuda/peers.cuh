// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime's part of peers.cuh.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/stream.cuh"

#ifndef FINESYNC_HOST_EXECUTOR

#include <span>
#include <string>

#include <cuda_runtime_api.h>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// Lets kernels of one device use the memory of another.
inline void let_reach(int from, int to) {
  int possible = 0;
  check_cuda(cudaDeviceCanAccessPeer(&possible, from, to));
  if (possible == 0) {
    throw launch_error("GPU " + std::to_string(from) + " cannot reach the memory of GPU " +
                       std::to_string(to));
  }
  const device_guard here(from);
  const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled)
    cudaGetLastError();
  else
    check_cuda(status);
}

inline unsigned devices_there() {
  int there = 0;
  check_cuda(cudaGetDeviceCount(&there));
  return static_cast<unsigned>(there);
}

inline void connect(std::span<const int> devices) {
  const unsigned there = devices_there();
  for (const int device : devices) {
    if (device < 0 || static_cast<unsigned>(device) >= there) {
      throw launch_error("GPU " + std::to_string(device) + " is not there: this machine has " +
                         std::to_string(there));
    }
  }
  for (const int from : devices)
    for (const int to : devices)
      if (from != to) let_reach(from, to);
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI

#endif
