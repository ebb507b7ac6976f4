// SPDX-License-Identifier: Apache-2.0
// The timer of a GPU.
#include <bench/kernel_timer.hpp>
#include <finesync/device/clock.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/host/error.cuh>
#include <finesync/host/launch.cuh>

#include <cuda_profiler_api.h>

namespace finesync::bench {

namespace {

// Keeps the stream busy while the host queues the events and the kernel between them. Otherwise the
// first event fires at once, and the host's launch overhead counts as the kernel's time.
__global__ void hold_stream(std::uint64_t nanoseconds) {
  const std::uint64_t begin = global_time_ns();
  while (global_time_ns() - begin < nanoseconds) sleep_ns(500);
}

constexpr std::uint64_t hold_ns = 30'000;

}  // namespace

struct kernel_timer::timer_impl {
  stream on;
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
};

kernel_timer::kernel_timer(const stream& on) : state_(new timer_impl{on}) {
  const device_guard here(on.device());
  check_cuda(cudaEventCreate(&state_->begin));
  check_cuda(cudaEventCreate(&state_->end));
}

kernel_timer::~kernel_timer() {
  cudaEventDestroy(state_->begin);
  cudaEventDestroy(state_->end);
}

void kernel_timer::start() {
  const device_guard here(state_->on.device());
  state_->on.synchronize();
  launch_independent(state_->on, hold_stream, {.blocks = 1, .threads_per_block = 1}, hold_ns);
  check_cuda(cudaEventRecord(state_->begin, state_->on.handle()));
}

double kernel_timer::stop() {
  const device_guard here(state_->on.device());
  check_cuda(cudaEventRecord(state_->end, state_->on.handle()));
  check_cuda(cudaEventSynchronize(state_->end));
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, state_->begin, state_->end));
  return static_cast<double>(milliseconds) * 1e-3;
}

void let_profilers_record(bool on) {
  check_cuda(on ? cudaProfilerStart() : cudaProfilerStop());
}

bool devices_are_usable() {
  int current = 0;
  int devices = 0;
  bool usable =
      cudaGetDevice(&current) == cudaSuccess && cudaGetDeviceCount(&devices) == cudaSuccess;
  for (int device = 0; device < devices && usable; ++device) {
    usable = cudaSetDevice(device) == cudaSuccess;
    cudaDeviceSynchronize();  // reports what has happened once; what stays is reported again
    usable = usable && cudaDeviceSynchronize() == cudaSuccess;
  }
  cudaSetDevice(current);
  cudaGetLastError();
  return usable;
}

bool runs_on_gpu() {
  return true;
}

}  // namespace finesync::bench
