#include "finesync/device/clock.cuh"
#include "finesync/device/error.cuh"
#include "finesync/device/sleep.cuh"
#include "finesync/device/stopwatch.cuh"

namespace finesync {

namespace {

// Keeps the stream busy while the host queues the events and the kernel between them. Without it
// the first event fires at once and the host's launch overhead counts as the kernel's time.
__global__ void hold_stream(std::uint64_t nanoseconds) {
  const std::uint64_t begin = global_time_ns();
  while (global_time_ns() - begin < nanoseconds) sleep_ns(500);
}

constexpr std::uint64_t hold_ns = 30'000;

}  // namespace

struct stopwatch::state {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
};

stopwatch::stopwatch() : state_(new state) {
  check_cuda(cudaEventCreate(&state_->begin));
  check_cuda(cudaEventCreate(&state_->end));
}

stopwatch::~stopwatch() {
  cudaEventDestroy(state_->begin);
  cudaEventDestroy(state_->end);
  delete state_;
}

void stopwatch::start() {
  check_cuda(cudaDeviceSynchronize());
  hold_stream<<<1, 1>>>(hold_ns);
  check_cuda(cudaGetLastError());
  check_cuda(cudaEventRecord(state_->begin));
}

double stopwatch::stop() {
  check_cuda(cudaEventRecord(state_->end));
  check_cuda(cudaEventSynchronize(state_->end));
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, state_->begin, state_->end));
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace finesync
