// Times a kernel outside the harness, such as the same kernel without its synchronization.
#pragma once

#include <bench/kernel_timer.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace finesync::workload {

/// Median time of launch(), which queues the kernels; each runs after reset(). A first run warms up
/// and does not count. For an even number of runs, the lower of the two middle times.
/// \param repeats at least 1.
template <class Reset, class Launch>
double median_seconds(Reset reset, Launch launch, unsigned repeats = 5) {
  bench::kernel_timer watch;
  std::vector<double> seconds;
  for (unsigned i = 0; i <= repeats; ++i) {
    reset();
    watch.start();
    launch();
    const double took = watch.stop();
    if (i > 0) seconds.push_back(took);
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>((seconds.size() - 1) / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

}  // namespace finesync::workload
