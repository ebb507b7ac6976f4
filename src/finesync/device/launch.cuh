// Starting kernels: cooperatively, so that blocks may wait for each other, and never more blocks
// than are resident at once. Host side.
#pragma once

#include "finesync/device/error.cuh"
#include "finesync/device/platform.cuh"

#include <cstddef>
#include <string>
#include <tuple>

namespace finesync {

/// One-dimensional grid of one-dimensional blocks.
struct launch_shape {
  unsigned blocks = 1;
  unsigned threads_per_block = 32;
  std::size_t shared_bytes = 0;  ///< sizeof the kernel's shared_storage struct
};

/// \throws launch_error that says how many blocks of the shape fit.
[[noreturn]] inline void refuse_launch(const launch_shape& shape, unsigned fitting) {
  throw launch_error("a grid of " + std::to_string(shape.blocks) + " blocks of " +
                     std::to_string(shape.threads_per_block) +
                     " threads cannot be co-resident: at most " + std::to_string(fitting) +
                     " blocks of this shape fit on this GPU");
}

#ifdef FINESYNC_HOST_EXECUTOR

template <class... Parameters>
unsigned max_resident_blocks(void (*)(Parameters...), unsigned threads_per_block,
                             std::size_t shared_bytes = 0) {
  return simt::max_resident_blocks(threads_per_block, shared_bytes);
}

namespace detail {

template <class... Parameters>
void run_on_executor(void (*kernel)(Parameters...), const launch_shape& shape,
                     const std::tuple<Parameters...>& arguments) {
  struct call {
    void (*kernel)(Parameters...);
    const std::tuple<Parameters...>* arguments;
  } context{kernel, &arguments};
  const simt::grid_shape grid{.blocks = {shape.blocks, 1, 1},
                              .threads = {shape.threads_per_block, 1, 1},
                              .shared_bytes = shape.shared_bytes};
  try {
    simt::run(
        grid,
        [](void* raw) {
          const call& c = *static_cast<const call*>(raw);
          std::apply(c.kernel, *c.arguments);
        },
        &context);
  } catch (const simt::stuck& trouble) {
    throw stuck_error(trouble.kind() == simt::trouble::deadlock, trouble.what());
  }
}

}  // namespace detail

template <class... Parameters, class... Arguments>
void launch_cooperative(void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  const unsigned fitting = max_resident_blocks(kernel, shape.threads_per_block, shape.shared_bytes);
  if (shape.blocks > fitting || shape.blocks == 0) refuse_launch(shape, fitting);
  detail::run_on_executor(kernel, shape, std::tuple<Parameters...>(arguments...));
}

template <class... Parameters, class... Arguments>
void launch_independent(void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  const unsigned fitting = max_resident_blocks(kernel, shape.threads_per_block, shape.shared_bytes);
  if (fitting == 0 || shape.blocks == 0) refuse_launch(shape, fitting);
  detail::run_on_executor(kernel, shape, std::tuple<Parameters...>(arguments...));
}

inline void synchronize() {}

#else

/// How many blocks of this shape the whole GPU holds at once.
template <class... Parameters>
unsigned max_resident_blocks(void (*kernel)(Parameters...), unsigned threads_per_block,
                             std::size_t shared_bytes = 0) {
  check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared_bytes)));
  int per_sm = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &per_sm, reinterpret_cast<const void*>(kernel), static_cast<int>(threads_per_block),
      shared_bytes));
  int device = 0;
  int sms = 0;
  check_cuda(cudaGetDevice(&device));
  check_cuda(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  return static_cast<unsigned>(per_sm * sms);
}

namespace detail {

// Only the launch call itself: what it may have to explain is worked out after it failed, so that
// nothing delays a kernel that is being timed.
template <class... Parameters, class... Arguments>
void launch(bool cooperative, void (*kernel)(Parameters...), const launch_shape& shape,
            const Arguments&... arguments) {
  constexpr std::size_t granted_without_asking = 48 * 1024;
  const void* function = reinterpret_cast<const void*>(kernel);
  if (shape.shared_bytes > granted_without_asking) {
    check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shape.shared_bytes)));
  }
  std::tuple<Parameters...> parameters(arguments...);
  const cudaError_t status = std::apply(
      [&](Parameters&... parameter) {
        void* addresses[] = {static_cast<void*>(&parameter)..., nullptr};
        return cooperative
                   ? cudaLaunchCooperativeKernel(function, dim3(shape.blocks),
                                                 dim3(shape.threads_per_block), addresses,
                                                 shape.shared_bytes, nullptr)
                   : cudaLaunchKernel(function, dim3(shape.blocks), dim3(shape.threads_per_block),
                                      addresses, shape.shared_bytes, nullptr);
      },
      parameters);
  if (status == cudaErrorCooperativeLaunchTooLarge || status == cudaErrorInvalidConfiguration) {
    cudaGetLastError();
    refuse_launch(shape, max_resident_blocks(kernel, shape.threads_per_block, shape.shared_bytes));
  }
  check_cuda(status);
}

}  // namespace detail

/// Queues a kernel whose blocks may wait for each other.
/// \throws launch_error, naming the number that fits, when the grid cannot be co-resident.
template <class... Parameters, class... Arguments>
void launch_cooperative(void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  detail::launch(true, kernel, shape, arguments...);
}

/// Queues a kernel whose blocks do not wait for each other: any number of them.
/// \throws launch_error when not even one block fits.
template <class... Parameters, class... Arguments>
void launch_independent(void (*kernel)(Parameters...), const launch_shape& shape,
                        Arguments... arguments) {
  detail::launch(false, kernel, shape, arguments...);
}

/// Waits for all queued work. \throws cuda_error when any of it failed.
inline void synchronize() {
  check_cuda(cudaDeviceSynchronize());
}

#endif

}  // namespace finesync
