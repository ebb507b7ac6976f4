// SPDX-License-Identifier: Apache-2.0
// Streams, their devices, and events. Host side; safe to include in plain C++ files.
#pragma once

#include "finesync/host/error.cuh"

#include <utility>

namespace finesync::inline FINESYNC_ABI {

#ifndef FINESYNC_HOST_EXECUTOR

/// The current device of the calling thread.
/// \throws cuda_error if there is no usable device.
inline int current_device() {
  int device = 0;
  check_cuda(cudaGetDevice(&device));
  return device;
}

/// Makes a device current and restores the previous one at the end. Not copyable.
class device_guard {
 public:
  explicit device_guard(int device) : device_(device), before_(current_device()) {
    if (device_ != before_) check_cuda(cudaSetDevice(device_));
  }
  ~device_guard() {
    if (device_ != before_) cudaSetDevice(before_);
  }
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;

 private:
  int device_;
  int before_;
};

/// A stream of a device: work queued in it runs in order. It is a non-owning value, constructible
/// from a cudaStream_t. A function that takes a stream may be called with any current device and
/// switches to the stream's.
class stream {
 public:
  /// The default stream of the current device.
  stream() : stream(nullptr, current_device()) {}
  /// \param handle a stream of the current device.
  stream(cudaStream_t handle) : stream(handle, current_device()) {}
  /// \param handle a stream of `device`; its default stream if null.
  constexpr stream(cudaStream_t handle, int device) : handle_(handle), device_(device) {}

  cudaStream_t handle() const { return handle_; }
  int device() const { return device_; }

  /// Waits for all queued work. \throws cuda_error if any of it failed.
  void synchronize() const {
    const device_guard here(device_);
    check_cuda(cudaStreamSynchronize(handle_));
  }

  friend bool operator==(const stream&, const stream&) = default;

 private:
  cudaStream_t handle_;
  int device_;
};

/// Owns a stream of the device that is current at construction; neither it nor the default stream
/// waits for the other. Movable, not copyable.
class owned_stream {
 public:
  /// \throws cuda_error if there is no usable device.
  owned_stream() : stream_(nullptr, current_device()) {
    cudaStream_t handle = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking));
    stream_ = stream(handle, stream_.device());
  }
  /// Queued work still runs.
  ~owned_stream() {
    if (stream_.handle() != nullptr) cudaStreamDestroy(stream_.handle());
  }
  owned_stream(owned_stream&& other) noexcept
      : stream_(std::exchange(other.stream_, stream(nullptr, other.stream_.device()))) {}
  owned_stream& operator=(owned_stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }

  operator stream() const { return stream_; }
  void synchronize() const { stream_.synchronize(); }

 private:
  stream stream_;
};

/// A point in a stream for other streams to wait for. Owns an event of the device that is current
/// at construction. Movable, not copyable.
class event {
 public:
  /// \throws cuda_error if there is no usable device.
  event() { check_cuda(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming)); }
  ~event() {
    if (handle_ != nullptr) cudaEventDestroy(handle_);
  }
  event(event&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  event& operator=(event&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  /// Places the event after the work queued so far in a stream of its device.
  void record(const stream& in) const {
    const device_guard here(in.device());
    check_cuda(cudaEventRecord(handle_, in.handle()));
  }
  /// Makes later work of a stream wait for the event's last recorded position, if any.
  void hold(const stream& later) const {
    const device_guard here(later.device());
    check_cuda(cudaStreamWaitEvent(later.handle(), handle_));
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

#else

namespace detail {
inline thread_local int device_of_thread = 0;
}

/// The executor has as many devices as are named. It runs work at once: all streams of a device are
/// equal.
inline int current_device() {
  return detail::device_of_thread;
}

class device_guard {
 public:
  explicit device_guard(int device) : before_(std::exchange(detail::device_of_thread, device)) {}
  ~device_guard() { detail::device_of_thread = before_; }
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;

 private:
  int before_;
};

class stream {
 public:
  stream() : device_(current_device()) {}

  int device() const { return device_; }
  void synchronize() const {}

  friend bool operator==(const stream&, const stream&) = default;

 private:
  int device_;
};

class owned_stream {
 public:
  owned_stream() = default;
  owned_stream(owned_stream&&) noexcept = default;
  owned_stream& operator=(owned_stream&&) noexcept = default;

  operator stream() const { return stream_; }
  void synchronize() const {}

 private:
  stream stream_;
};

class event {
 public:
  event() = default;
  event(event&&) noexcept = default;
  event& operator=(event&&) noexcept = default;

  void record(const stream& /*in*/) const {}
  void hold(const stream& /*later*/) const {}
};

#endif

}  // namespace finesync::inline FINESYNC_ABI
