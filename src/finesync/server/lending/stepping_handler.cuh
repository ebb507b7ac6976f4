// SPDX-License-Identifier: Apache-2.0
// What handlers of sections over two data have in common, whatever the message path: each lane has
// its own state and never waits, and each call makes one step of each lane.
#pragma once

#include "finesync/device/watchdog.cuh"

namespace finesync::inline FINESYNC_ABI {
namespace detail {

/// Which lanes have work, and the bound on the time without progress.
class stepping_handler {
 public:
  __device__ explicit stepping_handler(const watchdog_ref& watchdog, awaited what)
      : wait_(watchdog, what) {}

  __device__ bool pending() const { return pending_; }

 protected:
  /// Called by all lanes of the warp. \returns false, in all of them, when the watchdog ended the
  /// wait.
  __device__ bool end_step(bool busy, bool moved) {
    pending_ = __any_sync(all_lanes, busy) != 0;
    if (!pending_ || __any_sync(all_lanes, moved)) wait_.restart();
    return !pending_ || !__any_sync(all_lanes, wait_.timed_out());
  }

 private:
  static constexpr unsigned all_lanes = 0xffffffffu;

  bounded_wait wait_;
  bool pending_ = false;  // the same in all lanes
};

/// One attempt to acquire a lock of the server.
template <class Protocol, class Observer>
__device__ bool try_take(typename Protocol::lock wanted, Observer& observer) {
  const bool taken = Protocol::try_take(wanted);
  taken ? observer.entered() : observer.retry();
  return taken;
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
