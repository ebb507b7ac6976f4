// How long blocks compete: a number of rounds each, or a duration.
#pragma once

#include <finesync/device/clock.cuh>
#include <finesync/locks/exclusive.cuh>

#include <cstdint>

namespace finesync::workload {

/// A fixed number of acquisitions per block.
struct for_rounds {
  unsigned rounds;
  __device__ bool continues(unsigned done) const { return done < rounds; }
};

/// As many acquisitions as fit in a duration. Each thread measures the time separately.
struct for_duration {
  std::uint64_t ns;
  std::uint64_t began = 0;
  __device__ bool continues(unsigned done) {
    const std::uint64_t now = global_time_ns();
    if (done == 0) began = now;
    return now - began < ns;
  }
};

/// Long enough for each of 4,224 blocks to have several sections of a microsecond.
inline constexpr for_duration fairness_run{.ns = 20'000'000};

}  // namespace finesync::workload
