// SPDX-License-Identifier: Apache-2.0
// The device's properties, as the modelled GPU's; its architecture is what the PTX is taken for.
#include <cudart/device.hpp>
#include <cudart/launches.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <limits>

namespace cudart {

namespace {

/// Where a property is in cudaDeviceProp. CUDA 13 left some out, so that those after them moved.
struct place {
  std::size_t in_12;
  std::size_t in_13;
};
enum class layout { cuda_12, cuda_13 };
constexpr std::size_t bytes_in_12 = 1032;
constexpr std::size_t bytes_in_13 = 1008;
constexpr int largest = std::numeric_limits<int>::max();

class writer {
 public:
  writer(void* properties, layout which)
      : bytes_(static_cast<std::byte*>(properties)), which_(which) {
    std::memset(bytes_, 0, which == layout::cuda_12 ? bytes_in_12 : bytes_in_13);
  }

  template <class T>
  void put(place where, T value) {
    std::memcpy(bytes_ + (which_ == layout::cuda_12 ? where.in_12 : where.in_13), &value,
                sizeof value);
  }
  void name(const std::string& text) { std::memcpy(bytes_, text.data(), text.size() + 1); }

 private:
  std::byte* bytes_;
  layout which_;
};

cudaError_t describe(void* properties, layout which) {
  const simt::gpu_model& gpu = settings_of_run().executor.gpu;
  writer to(properties, which);
  to.name(fmt::format("finesync host executor ({})", gpu.name));
  to.put({288, 288}, device_memory_bytes);                // totalGlobalMem
  to.put({296, 296}, usual_shared_bytes);                 // sharedMemPerBlock
  to.put({304, 304}, 65536);                              // regsPerBlock
  to.put({308, 308}, 32);                                 // warpSize
  to.put({320, 320}, gpu.max_threads_per_block);          // maxThreadsPerBlock
  to.put({324, 324}, std::array{1024, 1024, 64});         // maxThreadsDim
  to.put({336, 336}, std::array{largest, 65535, 65535});  // maxGridSize
  to.put({352, 352}, std::size_t{65536});                 // totalConstMem
  to.put({360, 360}, std::array{9, 0});                   // major, minor
  to.put({388, 384}, gpu.sms);                            // multiProcessorCount
  to.put({400, 392}, 1);                                  // canMapHostMemory
  to.put({576, 560}, 1);                                  // concurrentKernels
  to.put({604, 588}, 1);                                  // unifiedAddressing
  to.put({616, 596}, static_cast<int>(gpu.l2_bytes));     // l2CacheSize
  to.put({624, 604}, gpu.max_threads_per_sm);             // maxThreadsPerMultiProcessor
  to.put({640, 624}, gpu.shared_bytes_per_sm);            // sharedMemPerMultiprocessor
  to.put({648, 632}, 65536);                              // regsPerMultiprocessor
  to.put({652, 636}, 1);                                  // managedMemory
  to.put({684, 664}, 1);                                  // canUseHostPointerForRegisteredMem
  to.put({676, 656}, 1);                                  // concurrentManagedAccess
  to.put({688, 668}, 1);                                  // cooperativeLaunch
  to.put({696, 672}, gpu.shared_bytes_per_block);         // sharedMemPerBlockOptin
  to.put({712, 688}, gpu.max_blocks_per_sm);              // maxBlocksPerMultiProcessor
  to.put({720, 696}, gpu.shared_bytes_reserved);          // reservedSharedMemPerBlock
  to.put({728, 704}, 1);                                  // hostRegisterSupported
  to.put({744, 720}, 1);                                  // memoryPoolsSupported
  to.put({772, 748}, 1);                                  // clusterLaunch
  return cudaSuccess;
}

/// A cudaLimit, at first as a GPU has it; nothing here obeys it. Null: there is no such limit.
std::size_t* limit(int which) {
  // Stack, buffer of printf, heap, depth of synchronization, pending launches, L2's fetches,
  // persisting L2.
  static std::array<std::size_t, 7> all = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
  return which < 0 || which >= static_cast<int>(all.size()) ? nullptr
                                                            : &all[static_cast<std::size_t>(which)];
}

/// The value of a cudaDeviceAttr; 0 for what this device does not have.
int attribute(int which) {
  const simt::gpu_model& gpu = settings_of_run().executor.gpu;
  switch (which) {
    case 1:
      return gpu.max_threads_per_block;
    case 2:
    case 3:
      return 1024;
    case 4:
      return 64;
    case 5:
      return largest;
    case 6:
    case 7:
      return 65535;
    case 8:
      return static_cast<int>(usual_shared_bytes);
    case 97:
      return static_cast<int>(gpu.shared_bytes_per_block);
    case 9:
    case 12:
    case 82:
      return 65536;
    case 10:
      return 32;
    case 13:
      return 1'000'000;  // kHz, of a clock that the executor does not have
    case 16:
      return gpu.sms;
    case 19:
    case 31:
    case 41:
    case 83:
    case 89:
    case 91:
    case 95:
    case 99:
    case 115:
    case 120:
      return 1;
    case 38:
      return static_cast<int>(gpu.l2_bytes);
    case 39:
      return gpu.max_threads_per_sm;
    case 75:
      return 9;
    case 81:
      return static_cast<int>(gpu.shared_bytes_per_sm);
    case 106:
      return gpu.max_blocks_per_sm;
    case 111:
      return static_cast<int>(gpu.shared_bytes_reserved);
    default:
      return 0;
  }
}

}  // namespace

}  // namespace cudart

extern "C" {

cudaError_t cudaGetDeviceProperties(void* properties, int) {
  return cudart::describe(properties, cudart::layout::cuda_13);
}
cudaError_t cudaGetDeviceProperties_v2(void* properties, int) {
  return cudart::describe(properties, cudart::layout::cuda_12);
}
cudaError_t cudaDeviceGetAttribute(int* value, int which, int) {
  *value = cudart::attribute(which);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : cudart::noted(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int) {
  std::snprintf(text, static_cast<std::size_t>(bytes), "0000:00:00.0");
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned) {
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(int which, std::size_t value) {
  std::size_t* const limit = cudart::limit(which);
  if (limit == nullptr) return cudart::noted(cudaErrorInvalidValue);
  *limit = value;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, int which) {
  const std::size_t* const limit = cudart::limit(which);
  if (limit == nullptr) return cudart::noted(cudaErrorInvalidValue);
  *value = *limit;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(int) {
  return cudaSuccess;
}
}  // extern "C"
