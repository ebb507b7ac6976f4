// SPDX-License-Identifier: Apache-2.0
// HeteroSync's back-off after a failed try to enter a semaphore.
#pragma once

#include <finesync/device/heterosync_backoff.cuh>
#include <finesync/device/ptx/sleep.cuh>

namespace finesync::inline FINESYNC_ABI {

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
