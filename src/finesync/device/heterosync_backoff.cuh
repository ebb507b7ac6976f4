// SPDX-License-Identifier: Apache-2.0
// HeteroSync's back-off, DoBackoff in the thesis's listings: a number of steps, of 1 ns each here.
// HeteroSync sleeps only if built so (HAS_NANOSLEEP, CUDA 11). Otherwise its barriers wait in an
// empty loop, which the compiler removes, and its semaphores in additions to a volatile word in
// shared memory, which take longer than 1 ns.
#pragma once

#include "finesync/device/ptx/sleep.cuh"

namespace finesync::inline FINESYNC_ABI {

/// As in its semaphores: waits 1, 3, 7, ..., 1,023 steps.
class doubling_steps {
 public:
  static constexpr unsigned max_ns = 1023;

  __host__ __device__ static unsigned after(unsigned steps) { return (2 * steps + 1) & max_ns; }

  __device__ void wait() {
    sleep_ns(steps_);
    steps_ = after(steps_);
  }

 private:
  unsigned steps_ = 1;
};

/// A back-off policy (backoff.cuh), as in its barriers, which count on before they wait: 3, 7, 15,
/// ... and 1,023 steps from the ninth time on.
class heterosync_backoff {
 public:
  static constexpr unsigned min_ns = 3;
  static constexpr unsigned max_ns = doubling_steps::max_ns;

  __device__ void wait(unsigned /*distance*/) {
    ns_ = doubling_steps::after(ns_);
    sleep_ns(ns_);
  }

 private:
  unsigned ns_ = 1;
};

}  // namespace finesync::inline FINESYNC_ABI
