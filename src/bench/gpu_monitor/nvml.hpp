// SPDX-License-Identifier: Apache-2.0
// The driver's management library (NVML). Programs load it when they run: they start without a
// driver, and link on machines that have none.
#pragma once

#include <bench/gpu_monitor.hpp>

#include <array>
#include <memory>
#include <string>

namespace finesync::bench {

/// What CUDA reports of a GPU.
struct gpu_identity {
  std::array<char, 16> uuid = {};  ///< of the MIG instance if the program runs on one
  std::string pci_bus_id = {};     ///< "0000:1a:00.0"
};

/// Watches a GPU. The card of a MIG instance is watched as a whole, under the UUID of the instance.
/// \param library part of the driver
/// \throws std::runtime_error with one line if that cannot be done
std::unique_ptr<gpu_monitor> watch_by_nvml(const gpu_identity& gpu,
                                           const std::string& library = "libnvidia-ml.so.1");

}  // namespace finesync::bench
