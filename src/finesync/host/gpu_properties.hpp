// SPDX-License-Identifier: Apache-2.0
// Properties of the machine that runs the kernels. Plain C++.
#pragma once

#include "finesync/version.hpp"

#include <cstddef>
#include <string>

namespace finesync::inline FINESYNC_ABI {

/// Geometry and identity of one GPU, as recorded in benchmark rows.
struct gpu_properties {
  std::string name;        ///< "NVIDIA H200", or "host executor (small)"
  bool simulated = false;  ///< true on the host executor: counts are real, times are not a GPU's
  std::string compute_capability;  ///< "9.0"
  int sms = 0;
  int warp_size = 32;
  int max_threads_per_sm = 0;
  int max_blocks_per_sm = 0;
  std::size_t shared_bytes_per_sm = 0;
  std::size_t shared_bytes_per_block = 0;  ///< the opt-in limit
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  int clock_khz = 0;         ///< maximum SM clock; 0 on the host executor
  int memory_clock_khz = 0;  ///< 0 on the host executor
  std::string driver;        ///< CUDA version of the driver, "13.0"; empty on the host executor
  std::string runtime;       ///< CUDA runtime version; empty on the host executor
};

/// Properties of the GPU that this thread's launches use, unless they name a stream.
/// \throws cuda_error if there is no usable device.
gpu_properties current_gpu();

/// Bytes of that GPU's memory that this process and all others use; 0 on the host executor.
/// \throws cuda_error if there is no usable device.
std::size_t device_memory_in_use();

}  // namespace finesync::inline FINESYNC_ABI
