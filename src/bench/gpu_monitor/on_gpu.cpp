// SPDX-License-Identifier: Apache-2.0
// Which GPU CUDA uses. NVML numbers GPUs otherwise, so it is found by what it is.
#include <bench/gpu_monitor/nvml.hpp>
#include <finesync/host/error.cuh>
#include <finesync/host/stream.cuh>

#include <algorithm>
#include <array>
#include <iterator>

#include <cuda_runtime_api.h>

namespace finesync::bench {

std::unique_ptr<gpu_monitor> watch_gpu() {
  const int device = current_device();
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, device));
  std::array<char, 32> bus = {};
  check_cuda(cudaDeviceGetPCIBusId(bus.data(), bus.size(), device));
  gpu_identity gpu{.pci_bus_id = bus.data()};
  std::copy(std::begin(properties.uuid.bytes), std::end(properties.uuid.bytes), gpu.uuid.begin());
  return watch_by_nvml(gpu);
}

}  // namespace finesync::bench
