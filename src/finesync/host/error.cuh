// Failures of the machine, as exceptions. Host side.
#pragma once

#include "finesync/version.hpp"

#include <stdexcept>
#include <string>

#ifndef FINESYNC_HOST_EXECUTOR
#include <source_location>

#include <cuda_runtime_api.h>
#endif

namespace finesync {
inline namespace FINESYNC_ABI {

/// A CUDA call failed: which, why and where.
class cuda_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A launch that cannot be: blocks that wait for each other do not all fit, or no such shape.
class launch_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A kernel that did not come to its end: the machine saw that it never would.
class hang_error : public std::runtime_error {
 public:
  /// `deadlock` tells a kernel in which nothing can run from one that runs for ever.
  hang_error(bool deadlock, const std::string& report)
      : std::runtime_error(report), deadlock_(deadlock) {}
  bool deadlock() const { return deadlock_; }

 private:
  bool deadlock_;
};

/// A kernel in which nothing orders two accesses: its results mean nothing, whatever they are.
class race_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

#ifndef FINESYNC_HOST_EXECUTOR

/// \throws cuda_error unless `status` is cudaSuccess, of the call just made. The runtime then
/// forgets about it, unless the device is lost with it: no later call reports it again.
inline void check_cuda(cudaError_t status,
                       std::source_location where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw cuda_error(std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status) +
                   " (" + where.file_name() + ":" + std::to_string(where.line()) + ")");
}

#endif

}  // namespace FINESYNC_ABI
}  // namespace finesync
