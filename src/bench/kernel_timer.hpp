// SPDX-License-Identifier: Apache-2.0
// Times the work queued in a stream: with CUDA events on a GPU, with the executor's own wall clock
// on the host (which says nothing about any GPU).
#pragma once

#include <finesync/host/stream.cuh>

#include <memory>

namespace finesync::bench {

/// Not copyable; reusable any number of times. start() and stop() belong to one host thread.
class kernel_timer {
 public:
  explicit kernel_timer(const stream& on = {});
  ~kernel_timer();
  kernel_timer(const kernel_timer&) = delete;
  kernel_timer& operator=(const kernel_timer&) = delete;

  /// Marks the beginning after all work queued in the stream so far, and waits for that work.
  void start();

  /// Waits for all work queued since start() and returns its duration in seconds.
  /// \throws cuda_error when that work failed.
  double stop();

 private:
  struct timer_impl;
  std::unique_ptr<timer_impl> state_;
};

/// Whether profilers that wait for the program (ncu --profile-from-start off) record kernels that
/// are launched from now on. Without one nothing happens.
void let_profilers_record(bool on);

/// Whether kernels of this process can still run. After some errors, such as an access to an
/// illegal address, CUDA refuses all further work of the process.
bool devices_are_usable();

/// Whether kernels run on a GPU. On the host executor defaults are small: it is slow, its times say
/// nothing, and its runs are all alike.
bool runs_on_gpu();

}  // namespace finesync::bench
