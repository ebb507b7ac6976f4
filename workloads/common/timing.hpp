// The time of a kernel outside the harness: of the same kernel without its synchronization, say.
#pragma once

#include <bench/kernel_timer.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace finesync::workload {

/// Median time of launch(), which queues the kernels, each time after reset(). One more, the first,
/// warms up. Of an even number of times, the lower of the two in the middle.
/// \param repeats at least 1.
template <class Reset, class Launch>
double median_seconds(Reset reset, Launch launch, unsigned repeats) {
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
