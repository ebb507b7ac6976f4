// SPDX-License-Identifier: Apache-2.0
// In place of nvml.cpp, if the toolkit has no nvml.h.
#include <bench/gpu_monitor/nvml.hpp>

#include <stdexcept>

namespace finesync::bench {

std::unique_ptr<gpu_monitor> watch_by_nvml(const gpu_identity& /*gpu*/,
                                           const std::string& /*library*/) {
  throw std::runtime_error("this program was built without nvml.h");
}

}  // namespace finesync::bench
