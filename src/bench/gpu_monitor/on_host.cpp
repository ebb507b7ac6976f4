// SPDX-License-Identifier: Apache-2.0
// The host executor imitates a GPU, but none with clocks.
#include <bench/gpu_monitor.hpp>

namespace finesync::bench {

std::unique_ptr<gpu_monitor> watch_gpu() {
  return nullptr;
}

}  // namespace finesync::bench
