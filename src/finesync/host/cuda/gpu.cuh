// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime's part of gpu.cuh.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/gpu_properties.hpp"
#include "finesync/host/stream.cuh"

#ifndef FINESYNC_HOST_EXECUTOR

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include <cuda_runtime_api.h>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

inline std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

inline int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

inline gpu_properties read_gpu(int device) {
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, device));
  int driver = 0;
  int runtime = 0;
  check_cuda(cudaDriverGetVersion(&driver));
  check_cuda(cudaRuntimeGetVersion(&runtime));

  gpu_properties gpu;
  gpu.name = properties.name;
  gpu.compute_capability =
      std::to_string(properties.major) + "." + std::to_string(properties.minor);
  gpu.sms = properties.multiProcessorCount;
  gpu.warp_size = properties.warpSize;
  gpu.max_threads_per_sm = properties.maxThreadsPerMultiProcessor;
  gpu.max_blocks_per_sm = properties.maxBlocksPerMultiProcessor;
  gpu.shared_bytes_per_sm = properties.sharedMemPerMultiprocessor;
  gpu.shared_bytes_per_block = properties.sharedMemPerBlockOptin;
  gpu.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  gpu.memory_bytes = properties.totalGlobalMem;
  gpu.clock_khz = attribute(cudaDevAttrClockRate, device);
  gpu.memory_clock_khz = attribute(cudaDevAttrMemoryClockRate, device);
  gpu.driver = version_text(driver);
  gpu.runtime = version_text(runtime);
  return gpu;
}

}  // namespace detail

/// Read once per device: the runtime may take most of a millisecond for it, and loops of launches
/// ask.
inline gpu_properties current_gpu() {
  static std::mutex one_at_a_time;
  static std::map<int, gpu_properties> known;
  const int device = current_device();
  const std::lock_guard<std::mutex> here(one_at_a_time);
  auto found = known.find(device);
  if (found == known.end()) found = known.emplace(device, detail::read_gpu(device)).first;
  return found->second;
}

inline std::size_t device_memory_in_use() {
  std::size_t free = 0;
  std::size_t all = 0;
  check_cuda(cudaMemGetInfo(&free, &all));
  return all - free;
}

}  // namespace finesync::inline FINESYNC_ABI

#endif
