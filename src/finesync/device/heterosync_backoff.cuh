// HeteroSync's back-off, DoBackoff in the thesis's listings.
#pragma once

#include "finesync/device/ptx/sleep.cuh"

namespace finesync::inline FINESYNC_ABI {

/// A back-off policy (backoff.cuh): sleeps 3 ns, 7, 15, ... and 1,023 ns from the ninth time on.
/// HeteroSync doubles its number and adds one before it waits. It sleeps only if built so
/// (HAS_NANOSLEEP, CUDA 11); otherwise it waits in an empty loop, which the compiler removes.
class heterosync_backoff {
 public:
  static constexpr unsigned min_ns = 3;
  static constexpr unsigned max_ns = 1023;

  __device__ void wait(unsigned /*distance*/) {
    ns_ = (2 * ns_ + 1) & max_ns;
    sleep_ns(ns_);
  }

 private:
  unsigned ns_ = 1;
};

}  // namespace finesync::inline FINESYNC_ABI
