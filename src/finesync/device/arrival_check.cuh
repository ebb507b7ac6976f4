// SPDX-License-Identifier: Apache-2.0
// Checks on the host executor that each arrival at a barrier has exactly one wait.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/platform.cuh"
#include "finesync/device/require.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// The result of an arrival at a barrier, passed to its wait. Empty on a GPU.
class arrival_token {
#ifdef FINESYNC_HOST_EXECUTOR
  friend class arrival_check;
  std::uint32_t number_ = 0;
#endif
};

/// One thread's arrivals at one barrier. On a GPU it is empty and checks nothing.
class arrival_check {
 public:
  __device__ arrival_token arrive() {
    arrival_token mine;
#ifdef FINESYNC_HOST_EXECUTOR
    require(!under_way_, "barrier: a second arrival without a wait in between");
    under_way_ = true;
    mine.number_ = ++arrivals_;
#endif
    return mine;
  }

  /// Before the wait that belongs to an arrival.
  __device__ void wait([[maybe_unused]] arrival_token mine) {
#ifdef FINESYNC_HOST_EXECUTOR
    require(under_way_ && mine.number_ == arrivals_, "barrier: a wait without its arrival");
    under_way_ = false;
#endif
  }

  /// Before a blocking barrier.
  __device__ void whole() const {
#ifdef FINESYNC_HOST_EXECUTOR
    require(!under_way_, "barrier: a whole barrier between an arrival and its wait");
#endif
  }

  /// Before an overlapped barrier.
  __device__ void during_work() const {
    whole();
#ifdef FINESYNC_HOST_EXECUTOR
    require(block_threads() > 32, "barrier: a block of one warp has none to work beside it");
#endif
  }

#ifdef FINESYNC_HOST_EXECUTOR
 private:
  std::uint32_t arrivals_ = 0;
  bool under_way_ = false;
#endif
};

}  // namespace finesync::inline FINESYNC_ABI
