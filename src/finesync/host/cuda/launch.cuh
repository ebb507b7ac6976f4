// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime's part of launch.cuh.
#pragma once

#include "finesync/device/platform.cuh"
#include "finesync/host/launch_shape.cuh"
#include "finesync/host/stream.cuh"

#ifndef FINESYNC_HOST_EXECUTOR

#include <cstddef>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

inline int device_attribute(cudaDeviceAttr which) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, current_device()));
  return value;
}

inline bool machine_has_clusters() {
  return device_attribute(cudaDevAttrClusterLaunch) != 0;
}

/// \throws launch_error unless the GPU has dependent launches and the kernel is compiled for them.
inline void check_dependent_launch(const void* function) {
  constexpr int hopper = 9;
  cudaFuncAttributes compiled{};
  check_cuda(cudaFuncGetAttributes(&compiled, function));
  if (device_attribute(cudaDevAttrComputeCapabilityMajor) < hopper ||
      compiled.ptxVersion < 10 * hopper) {
    throw launch_error(
        "dependent launches need a GPU of compute capability 9.0 or later, and "
        "kernels compiled for it");
  }
}

/// Whether the call failed because no block can have the requested shape.
inline bool asked_too_much(cudaError_t status) {
  if (status != cudaErrorInvalidValue && status != cudaErrorInvalidConfiguration) return false;
  cudaGetLastError();
  return true;
}

/// Enables a large shared memory or a large cluster for a kernel.
/// \returns false if no block can have that much shared memory.
inline bool permit(const void* function, const launch_shape& shape) {
  constexpr std::size_t granted_without_asking = 48 * 1024;
  constexpr unsigned portable_cluster = 8;
  if (shape.shared_bytes > granted_without_asking) {
    if (shape.shared_bytes > std::size_t{std::numeric_limits<int>::max()}) return false;
    const cudaError_t status =
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shape.shared_bytes));
    if (asked_too_much(status)) return false;
    check_cuda(status);
  }
  if (shape.cluster_blocks > portable_cluster) {
    check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  }
  return true;
}

/// A shape in the runtime's form, with the attributes that it points to.
class launch_request {
 public:
  launch_request(const launch_shape& shape, bool cooperative, cudaStream_t on = nullptr) {
    check_extents(shape);
    const auto dimensions = [](const extents& e) { return dim3(e.x, e.y, e.z); };
    config_.gridDim = dimensions(shape.grid_extents());
    config_.blockDim = dimensions(shape.block_extents());
    config_.dynamicSmemBytes = shape.shared_bytes;
    config_.stream = on;
    config_.attrs = attributes_;
    if (cooperative) {
      cudaLaunchAttribute& attribute = attributes_[config_.numAttrs++];
      attribute.id = cudaLaunchAttributeCooperative;
      attribute.val.cooperative = 1;
    }
    if (shape.cluster_blocks != 1) {
      cudaLaunchAttribute& attribute = attributes_[config_.numAttrs++];
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim.x = shape.cluster_blocks;
      attribute.val.clusterDim.y = 1;
      attribute.val.clusterDim.z = 1;
    }
  }
  launch_request(const launch_request&) = delete;
  launch_request& operator=(const launch_request&) = delete;

  const cudaLaunchConfig_t& config() const { return config_; }

 private:
  cudaLaunchAttribute attributes_[2] = {};
  cudaLaunchConfig_t config_ = {};
};

inline unsigned max_resident_in_clusters(const void* function, const launch_shape& shape) {
  if (!machine_has_clusters() || shape.cluster_blocks == 0) return 0;
  launch_shape one_cluster = shape;
  one_cluster.blocks = shape.cluster_blocks;
  one_cluster.grid.reset();
  const launch_request request(one_cluster, false);
  int clusters = 0;
  const cudaError_t status = cudaOccupancyMaxActiveClusters(&clusters, function, &request.config());
  if (asked_too_much(status)) return 0;
  if (status == cudaErrorInvalidClusterSize) {
    cudaGetLastError();
    return 0;
  }
  check_cuda(status);
  return static_cast<unsigned>(clusters) * shape.cluster_blocks;
}

inline unsigned max_resident_blocks(const void* function, const launch_shape& shape) {
  if (!permit(function, shape)) return 0;
  if (shape.cluster_blocks != 1) return max_resident_in_clusters(function, shape);
  int per_sm = 0;
  const cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_sm, function, static_cast<int>(shape.threads_per_block), shape.shared_bytes);
  if (asked_too_much(status)) return 0;
  check_cuda(status);
  return static_cast<unsigned>(per_sm * device_attribute(cudaDevAttrMultiProcessorCount));
}

/// A kernel with the addresses of its parameters, in the runtime's form.
struct bound_kernel {
  const void* function;
  void** addresses;
};

/// Errors are explained only after a launch has failed, so that nothing delays a timed kernel. (For
/// clusters the runtime does not guarantee that they all fit.)
inline constexpr bool start_refuses_what_does_not_fit = true;

/// \returns false if the grid does not fit. The stream's device is the current one.
inline bool start(const stream& on, bool cooperative, const bound_kernel& kernel,
                  const launch_shape& shape) {
  if (!permit(kernel.function, shape)) return false;
  const launch_request request(shape, cooperative, on.handle());
  const cudaError_t status =
      cudaLaunchKernelExC(&request.config(), kernel.function, kernel.addresses);
  if (status == cudaErrorCooperativeLaunchTooLarge || status == cudaErrorInvalidConfiguration) {
    cudaGetLastError();
    return false;
  }
  check_cuda(status);
  return true;
}

template <class Queue, class... Parameters>
void enqueue_with(Queue& in, bool cooperative, void (*kernel)(Parameters...),
                  const launch_shape& shape, std::type_identity_t<Parameters>... parameters) {
  void* addresses[] = {static_cast<void*>(&parameters)..., nullptr};
  const bound_kernel bound{reinterpret_cast<const void*>(kernel), addresses};
  enqueue(in, cooperative, bound, shape);
}

/// One grid in each stream; all of them fit. \param parameters one tuple per stream.
template <class... Parameters>
void start_together(std::span<const stream> on, void (*kernel)(Parameters...),
                    const launch_shape& shape, std::tuple<Parameters...>* parameters) {
  for (std::size_t i = 0; i < on.size(); ++i) {
    const device_guard here(on[i].device());
    std::apply(
        [&](Parameters&... own) {
          void* addresses[] = {static_cast<void*>(&own)..., nullptr};
          if (!start(on[i], true, {reinterpret_cast<const void*>(kernel), addresses}, shape))
            refuse_launch(shape, 0);
        },
        parameters[i]);
  }
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI

#endif
