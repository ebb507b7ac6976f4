// Histogram of waiting times, in bins of a quarter octave, as observers count them.
#pragma once

#include <finesync/device/platform.cuh>
#include <workloads/common/outcomes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace finesync::workload {

/// Bin 4 k + q holds [2^k (1 + q/4), 2^k (1 + (q+1)/4)) nanoseconds.
struct wait_histogram {
  static constexpr unsigned bins = 4 * 40;

  __host__ __device__ static unsigned bin_of(std::uint64_t ns) {
    if (ns < 4) return static_cast<unsigned>(ns);
    unsigned octave = 0;
    while (octave < 39 && (ns >> (octave + 1)) != 0) ++octave;
    return 4 * octave + static_cast<unsigned>((ns >> (octave - 2)) & 3);
  }

  /// \throws bench::failed_run unless the histograms hold that many waits, the longest in the last
  /// bin.
  static void expect_waits(std::span<const std::uint32_t> counts, std::uint64_t number,
                           std::uint64_t longest_ns) {
    std::uint64_t waits = 0;
    unsigned last = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      waits += counts[i];
      if (counts[i] != 0) last = std::max(last, static_cast<unsigned>(i % bins));
    }
    expect_plausible(waits == number, std::to_string(waits) + " waits in " +
                                          std::to_string(number) + " acquisitions");
    expect_plausible(last == bin_of(longest_ns),
                     "the longest wait took " + std::to_string(longest_ns) + " ns");
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
