// SPDX-License-Identifier: Apache-2.0
// Machine options for kernels that run on a GPU.
#pragma once

#include "finesync/host/error.cuh"
#include "finesync/host/machine_options.hpp"

#ifndef FINESYNC_HOST_EXECUTOR

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

inline std::uint64_t watchdog_ms = 5000;

inline unsigned long parse_setting(const std::string& text, unsigned long least, const char* what) {
  std::size_t used = 0;
  unsigned long value = 0;
  try {
    value = std::stoul(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || text.front() == '-' || value < least) {
    throw std::invalid_argument("'" + text + "' is not " + what);
  }
  return value;
}

}  // namespace detail

inline std::vector<machine_option> machine_options() {
  return {
      {"device", "CUDA device, numbered from 0", "0",
       [](const std::string& text) {
         const auto device = static_cast<int>(detail::parse_setting(text, 0, "a device number"));
         int count = 0;
         const cudaError_t status = cudaGetDeviceCount(&count);
         if (status != cudaSuccess) {
           throw std::invalid_argument(std::string("no usable GPU: ") + cudaGetErrorString(status));
         }
         if (device >= count) {
           throw std::invalid_argument("there is no device " + text + ": " + std::to_string(count) +
                                       " found");
         }
         check_cuda(cudaSetDevice(device));
       }},
      {"watchdog-ms",
       "limit for one wait of a thread, in ms; a longer wait ends the run as a timeout", "5000",
       [](const std::string& text) {
         detail::watchdog_ms = detail::parse_setting(text, 1, "a positive number of ms");
       }},
  };
}

inline std::map<std::string, double> last_launch_counts() {
  return {};
}

inline std::uint64_t default_watchdog_ns() {
  return detail::watchdog_ms * 1'000'000;
}

}  // namespace finesync::inline FINESYNC_ABI

#endif
