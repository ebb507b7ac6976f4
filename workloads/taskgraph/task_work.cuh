// The work of a task: a spin of a number of cycles of the SM's clock, without memory traffic. Its
// length does not depend on what else runs on the SM, and it is measured before it is used.
#pragma once

#include <finesync/device/cell.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/ptx/sleep.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace finesync::taskgraph {

/// The host executor, which has no latency, skips it.
__device__ __forceinline__ void spend(std::uint32_t cycles) {
  if (cycles != 0) pause_cycles(cycles);
}

/// One thread does the work of some tasks in a row, and takes the time by the clock of all SMs.
__global__ inline void time_work(std::uint32_t cycles, unsigned tasks, cell<std::uint64_t>* ns) {
  assume_one_dimension();
  const std::uint64_t began = global_time_ns();
  for (unsigned i = 0; i < tasks; ++i) spend(cycles);
  *ns = global_time_ns() - began;
}

/// Work of one length.
struct task_work_length {
  std::uint32_t cycles = 0;
  double ns = 0;  ///< measured
};

/// Work of `ns` nanoseconds, to 1 %; on the host executor none.
/// \throws std::runtime_error if no number of cycles has this length, as the clock is not steady.
inline task_work_length work_of(unsigned ns) {
  if (ns == 0 || current_gpu().clock_khz == 0) return {};
  const unsigned tasks = std::max(1u, 1'000'000 / ns);  // the clock's resolution may be 1 us
  buffer<std::uint64_t> total(1);
  task_work_length found{static_cast<std::uint32_t>(ns * (current_gpu().clock_khz / 1e6)), 0};
  for (unsigned attempt = 0; attempt < 8; ++attempt) {
    launch_independent(time_work, {.blocks = 1, .threads_per_block = 1}, found.cycles, tasks,
                       total.device_data());
    stream().synchronize();
    found.ns = static_cast<double>(total.to_host()[0]) / tasks;
    if (std::abs(found.ns / ns - 1) <= .01) return found;
    found.cycles = static_cast<std::uint32_t>(found.cycles * (ns / found.ns));
  }
  throw std::runtime_error("a task's work takes " + std::to_string(found.ns) + " ns instead of " +
                           std::to_string(ns) + ": the SM's clock is not steady");
}

}  // namespace finesync::taskgraph
