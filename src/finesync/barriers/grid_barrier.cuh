// SPDX-License-Identifier: Apache-2.0
// The interface of the grid barriers of this folder: all threads of all blocks of a cooperative
// grid synchronize.
//
// On the host, an owner:
//|  X_barrier(const launch_shape&, ...,       for grids of this shape, launched in this stream;
//|            const stream& on = {})          throws launch_error if it cannot be co-resident
//|  ref_type ref() const                      the device side, passed to the kernel by value
//|  void reset()                              only after a kernel whose wait timed out
// In the kernel:
//|  participant join(const watchdog_ref&) const
//|                                            once, by all threads of all blocks, at the start
//|  bool participant::wait()                  the barrier, any number of times, by all threads of
//|                                            all blocks; false, for all threads of a block alike,
//|                                            if the watchdog ended the wait: leave the kernel
//
// After wait(), every thread sees what any thread wrote before it, also by plain stores. An owner
// serves any number of launches, one at a time. Blocks have 1 to 1,024 threads.
#pragma once

#include "finesync/device/watchdog.cuh"

#include <concepts>

namespace finesync::inline FINESYNC_ABI {

/// Checks the device side of this interface.
template <class BarrierRef>
concept grid_barrier = std::is_trivially_copyable_v<BarrierRef> &&
    requires(const BarrierRef ref, const watchdog_ref watchdog,
             typename BarrierRef::participant participant) {
  { ref.join(watchdog) } -> std::same_as<typename BarrierRef::participant>;
  { participant.wait() } -> std::same_as<bool>;
};

}  // namespace finesync::inline FINESYNC_ABI
