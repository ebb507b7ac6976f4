// SPDX-License-Identifier: Apache-2.0
// Observers of exits: an exit from a semaphore may have to wait, unlike one from a lock.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync::inline FINESYNC_ABI {

/// A lock_observer (locks/observer.cuh) with one more event:
///|  left()   the permits are given back; not called where the watchdog ended the wait for that
template <class Observer>
concept observes_exits = requires(Observer observer) {
  observer.left();
};

}  // namespace finesync::inline FINESYNC_ABI
