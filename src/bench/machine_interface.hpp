// All that the harness asks of the machine that runs the kernels, in one replaceable value.
#pragma once

#include <finesync/host/gpu.cuh>
#include <finesync/host/machine.cuh>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

/// Programs use real_machine(); tests of the harness pass their own.
struct machine_interface {
  std::function<gpu_properties()> gpu;
  std::function<std::vector<machine_option>()> options;
  /// Seconds that the device worked on what the argument queues.
  std::function<double(const std::function<void()>&)> time;
  /// Device operations of the last launch, by name.
  std::function<std::map<std::string, double>()> counts;
};

/// The machine that this build of finesync runs kernels on. Nothing else in the harness refers to
/// it, so a program that brings its own machine links without a real one.
machine_interface real_machine();

/// What the times of a row are: "gpu, CUDA events" or "host executor wall clock".
inline std::string_view time_source(const gpu_properties& gpu) {
  return gpu.simulated ? "host executor wall clock" : "gpu, CUDA events";
}

}  // namespace finesync::bench
