// SPDX-License-Identifier: Apache-2.0
// Failures of the machine, as exceptions. Host side.
#pragma once

#include "finesync/version.hpp"

#include <new>
#include <stdexcept>
#include <string>

#ifndef FINESYNC_HOST_EXECUTOR
#include <cuda_runtime_api.h>
#endif

namespace finesync::inline FINESYNC_ABI {

/// A CUDA call failed; the message gives the error and the place of the call.
class cuda_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Device memory is used up; the message says how much was asked for.
class device_memory_error : public std::bad_alloc {
 public:
  explicit device_memory_error(const std::string& why) : why_(why) {}
  const char* what() const noexcept override { return why_.what(); }

 private:
  std::runtime_error why_;  // unlike a string, it is copied without an allocation
};

/// An impossible launch: blocks that wait for each other do not all fit, or the shape is invalid.
class launch_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The machine detected that a kernel would never end.
class hang_error : public std::runtime_error {
 public:
  /// \param deadlock whether no thread of the kernel can run; otherwise it would run forever.
  hang_error(bool deadlock, const std::string& report)
      : std::runtime_error(report), deadlock_(deadlock) {}
  bool deadlock() const { return deadlock_; }

 private:
  bool deadlock_;
};

/// A kernel with a data race; its results are meaningless.
class race_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

#ifndef FINESYNC_HOST_EXECUTOR

/// \throws cuda_error unless `status`, from the call just made, is cudaSuccess. Clears the
/// runtime's error state, so no later call reports it again, unless the device is lost. The place
/// is that of the call; clang has no std::source_location before 16.
inline void check_cuda(cudaError_t status, const char* file = __builtin_FILE(),
                       int line = __builtin_LINE()) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw cuda_error(std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status) +
                   " (" + file + ":" + std::to_string(line) + ")");
}

#endif

}  // namespace finesync::inline FINESYNC_ABI
