// SPDX-License-Identifier: Apache-2.0
// The machine that runs the kernels, as the harness uses it: one replaceable value.
#pragma once

#include <bench/experiment.hpp>
#include <bench/gpu_monitor.hpp>
#include <finesync/host/gpu.cuh>
#include <finesync/host/machine.cuh>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

/// Programs use real_machine(); tests of the harness pass their own.
struct machine_interface {
  std::function<gpu_properties()> gpu;
  std::function<std::vector<machine_option>()> options;
  /// Device time, in seconds, of the work that the function queues. \param on the stream of it all;
  /// null: the default stream.
  std::function<double(const stream* on, const std::function<void()>& queue_work)> time;
  /// Whether a profiler that waits for the program records the work queued from now on.
  std::function<void(bool)> profile = [](bool /*on*/) {};
  /// Device operations of the last launch, by name.
  std::function<std::map<std::string, double>()> counts;
  /// Fills memory whose contents no run may rely on, before the run of this number; empty, if there
  /// is none.
  std::function<void(unsigned)> poison = {};
  /// Bytes of device memory in use, by all processes; 0, or empty, if it has no memory of its own.
  std::function<std::size_t()> memory_in_use = {};
  /// Whether launches of this process can still succeed, asked after a failure; empty: always.
  std::function<bool()> is_usable = {};
  /// As watch_gpu(); empty, or null, if there is nothing to watch.
  std::function<std::unique_ptr<gpu_monitor>()> monitor = {};
  int repetitions = 10;  ///< of a point, by default
};

/// The machine of this build of finesync. The harness refers to it nowhere else, so a program with
/// its own machine links without a real one.
machine_interface real_machine();

/// The source of a row's times: "gpu, CUDA events" or "host executor wall clock".
inline std::string_view time_source(const gpu_properties& gpu) {
  return gpu.simulated ? "host executor wall clock" : "gpu, CUDA events";
}

}  // namespace finesync::bench
