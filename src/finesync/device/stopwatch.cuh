// Times the work queued on the device between two points: CUDA events on a GPU, the executor's own
// wall clock on the host (which says nothing about any GPU).
#pragma once

namespace finesync {

/// Not copyable; reusable any number of times. start() and stop() belong to one host thread.
class stopwatch {
 public:
  stopwatch();
  ~stopwatch();
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

  /// Marks the beginning behind all work queued so far.
  void start();

  /// Waits for all work queued since start() and returns its duration in seconds.
  /// \throws cuda_error when that work failed.
  double stop();

 private:
  struct state;
  state* state_;
};

}  // namespace finesync
