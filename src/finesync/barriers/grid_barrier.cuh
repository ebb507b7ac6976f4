// What a grid barrier of this folder offers: all threads of all blocks of a cooperative grid meet.
//
// On the host, an owner:
//|  X_barrier(const launch_shape&, ...,       for grids of this shape, launched in this stream;
//|            const stream& on = {})          throws launch_error for a shape that cannot be
//|  ref_type ref() const                        the kernel's side, passed to it by value
//|  void reset()                              only after a kernel that gave up waiting
// In the kernel:
//   participant join(const watchdog_ref&) const
//|                                            once, by all threads of all blocks, at the start
//|  bool participant::wait()                  the barrier, any number of times, by all threads of
//|                                            all blocks; false, for all threads of the block
//|                                            alike: the watchdog ended the wait, leave the kernel
//
// What any thread wrote before wait(), also by plain stores, every thread reads after it. An owner
// serves any number of launches, one at a time. Blocks have 1 to 1,024 threads.
#pragma once

#include "finesync/device/watchdog.cuh"

#include <concepts>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Checks the kernel's side of the above.
template <class BarrierRef>
concept grid_barrier = std::is_trivially_copyable_v<BarrierRef> &&
    requires(const BarrierRef ref, const watchdog_ref watchdog,
             typename BarrierRef::participant participant) {
  { ref.join(watchdog) } -> std::same_as<typename BarrierRef::participant>;
  { participant.wait() } -> std::same_as<bool>;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
