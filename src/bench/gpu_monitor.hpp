// SPDX-License-Identifier: Apache-2.0
// What the driver knows of a GPU beyond CUDA: which card it is, its clocks, what holds them down.
#pragma once

#include <bench/experiment.hpp>

#include <memory>
#include <string>
#include <vector>

namespace finesync::bench {

/// A GPU at one moment. What is unknown is 0 or empty.
struct gpu_state {
  int sm_clock_mhz = 0;
  int memory_clock_mhz = 0;
  /// Why its clocks are lower than its settings and load allow: temperature, the power supply. A
  /// time measured meanwhile is of the cooling and not of the program.
  std::vector<std::string> throttled_by = {};
  /// Whether its power limit holds its clocks down. A run that needs so much power meets this limit
  /// each time, so it is part of what the card is.
  bool power_capped = false;
};

/// Watches one GPU. Its functions ask the driver on the host; they must not be called in the course
/// of a timed run.
class gpu_monitor {
 public:
  gpu_monitor() = default;
  gpu_monitor(const gpu_monitor&) = delete;
  gpu_monitor& operator=(const gpu_monitor&) = delete;
  virtual ~gpu_monitor() = default;

  /// The driver, the card and its settings, in the words of nvidia-smi: driver_version, uuid,
  /// power_limit_w, ecc, mig, persistence. What the card does not have is missing.
  virtual parameters card() = 0;
  virtual gpu_state state() = 0;
};

/// Watches the GPU that this thread's launches use; null on the host executor, which has none.
/// \throws std::exception with one line if that cannot be done
std::unique_ptr<gpu_monitor> watch_gpu();

}  // namespace finesync::bench
