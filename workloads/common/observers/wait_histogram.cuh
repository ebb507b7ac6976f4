// Histogram of waiting times, in bins of a quarter octave, as observers count them.
#pragma once

#include <finesync/device/platform.cuh>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace finesync::workload {

/// Bin 4 k + q holds [2^k (1 + q/4), 2^k (1 + (q+1)/4)) nanoseconds.
struct wait_histogram {
  static constexpr unsigned bins = 4 * 40;

  __device__ static unsigned bin_of(std::uint64_t ns) {
    if (ns < 4) return static_cast<unsigned>(ns);
    unsigned octave = 0;
    while (octave < 39 && (ns >> (octave + 1)) != 0) ++octave;
    return 4 * octave + static_cast<unsigned>((ns >> (octave - 2)) & 3);
  }

  /// Upper end of the bin below which `fraction` (0 to 1) of all waits lie, in nanoseconds; 0 if
  /// there were none. \param counts any number of histograms, one after the other.
  static double quantile_ns(std::span<const std::uint32_t> counts, double fraction) {
    std::vector<std::uint64_t> sums(bins, 0);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      sums[i % bins] += counts[i];
      total += counts[i];
    }
    std::uint64_t below = 0;
    for (unsigned bin = 0; bin < bins; ++bin) {
      below += sums[bin];
      if (total > 0 && static_cast<double>(below) >= fraction * static_cast<double>(total)) {
        if (bin < 8) return bin;
        return static_cast<double>(std::uint64_t{1} << (bin / 4)) * (1.25 + 0.25 * (bin % 4));
      }
    }
    return 0;
  }
};

}  // namespace finesync::workload
