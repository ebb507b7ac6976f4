// HeteroSync's back-off: a number of steps, 1 at first. A step is 1 ns of sleep here, an option of
// HeteroSync; its default is an addition to a volatile word in shared memory, which takes longer.
#pragma once

#include "finesync/device/ptx/sleep.cuh"

namespace finesync::inline FINESYNC_ABI {

/// `DoBackoff` of the thesis's listings: 1, 3, 7, ..., 1,023 steps.
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

/// After a try that failed: writers as DoBackoff, readers 5 steps more each time, without a limit.
class steps_by_role {
 public:
  static constexpr unsigned min_ns = 1;
  static constexpr unsigned max_ns = doubling_steps::max_ns;  ///< of writers
  static constexpr unsigned more_for_readers = 5;

  __host__ __device__ static unsigned after(unsigned steps, bool writes) {
    return writes ? doubling_steps::after(steps) : steps + more_for_readers;
  }

  __device__ void wait(bool writes) {
    sleep_ns(steps_);
    steps_ = after(steps_, writes);
  }

 private:
  unsigned steps_ = 1;
};

}  // namespace finesync::inline FINESYNC_ABI
