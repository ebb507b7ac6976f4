// SPDX-License-Identifier: Apache-2.0
#include <cudart/device.hpp>
#include <cudart/findings.hpp>
#include <cudart/refused_launches.hpp>
#include <ptx/module.hpp>
#include <simt/arena.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace cudart {

namespace {

/// Never ends: the program may call the runtime until its very end.
class device_thread {
 public:
  device_thread() {
    std::thread([this] { serve(); }).detach();
  }

  void run(const std::function<void()>& what) {
    const std::lock_guard one_caller(callers_);
    std::unique_lock lock(mutex_);
    asked_ = &what;
    changed_.notify_all();
    changed_.wait(lock, [this] { return asked_ == nullptr; });
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  }

 private:
  [[noreturn]] void serve() {
    simt::current_settings() = settings_of_run().executor;
    simt::global_memory().keep_released();
    simt::global_memory().overcommit();
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return asked_ != nullptr; });
      try {
        (*asked_)();
      } catch (...) {
        problem_ = std::current_exception();
      }
      asked_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex callers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* asked_ = nullptr;
  std::exception_ptr problem_;
};

std::atomic<cudaError_t> failed{cudaSuccess};
thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

const run_settings& settings_of_run() {
  static const run_settings& read = *[] {
    try {
      auto* const made = new run_settings(from_environment());
      if (!made->root.empty()) ptx::show_sources_from(made->root);
      return made;
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "finesync-check: %s\n", problem.what());
      std::_Exit(refusal_status);
    }
  }();
  return read;
}

void on_device(const std::function<void()>& what) {
  if (is_forked_after_use())
    refuse("a process was forked after it had used CUDA, and used it, which CUDA does not support");
  static device_thread& thread = *[] {
    begin_report();
    return new device_thread;
  }();
  thread.run(what);
}

cudaError_t noted(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t fail_from_now_on() {
  failed = cudaErrorLaunchFailure;
  return noted(cudaErrorLaunchFailure);
}

cudaError_t state_of_device() {
  return noted(failed);
}

}  // namespace cudart

// Errors: the names, and the texts, of the codes that this runtime returns.
extern "C" {

cudaError_t cudaPeekAtLastError() {
  cudart::forget_refused();
  return cudart::failed == cudaSuccess ? cudart::last_error : cudart::failed.load();
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  cudart::last_error = cudaSuccess;
  return error;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidPitchValue:
      return "cudaErrorInvalidPitchValue";
    case cudaErrorInvalidSymbol:
      return "cudaErrorInvalidSymbol";
    case cudaErrorInvalidMemcpyDirection:
      return "cudaErrorInvalidMemcpyDirection";
    case cudaErrorInvalidDeviceFunction:
      return "cudaErrorInvalidDeviceFunction";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorHostMemoryAlreadyRegistered:
      return "cudaErrorHostMemoryAlreadyRegistered";
    case cudaErrorHostMemoryNotRegistered:
      return "cudaErrorHostMemoryNotRegistered";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
    case cudaErrorCooperativeLaunchTooLarge:
      return "cudaErrorCooperativeLaunchTooLarge";
    case cudaErrorInvalidClusterSize:
      return "cudaErrorInvalidClusterSize";
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidPitchValue:
      return "invalid pitch argument";
    case cudaErrorInvalidSymbol:
      return "invalid device symbol";
    case cudaErrorInvalidMemcpyDirection:
      return "invalid copy direction for memcpy";
    case cudaErrorInvalidDeviceFunction:
      return "invalid device function";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorHostMemoryAlreadyRegistered:
      return "part or all of the requested memory range is already mapped";
    case cudaErrorHostMemoryNotRegistered:
      return "pointer does not correspond to a registered memory region";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure: see finesync-check's report";
    case cudaErrorCooperativeLaunchTooLarge:
      return "too many blocks in cooperative launch";
    case cudaErrorInvalidClusterSize:
      return "cluster misconfiguration";
  }
  return "unrecognized error code";
}

}  // extern "C"
