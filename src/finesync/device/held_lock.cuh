// SPDX-License-Identifier: Apache-2.0
// Which locks a thread holds, for the host executor's reports of races. No code under nvcc.
#pragma once

#include "finesync/device/platform.cuh"

namespace finesync::inline FINESYNC_ABI {

/// The calling thread has acquired the lock, or is about to release it. A lock without an address
/// (exclusive_lock.cuh), such as a set, whose locks tell for themselves, is not noted.
template <class Lock>
__device__ __forceinline__ void note_lock([[maybe_unused]] const Lock& lock,
                                          [[maybe_unused]] bool held) {
#ifdef FINESYNC_HOST_EXECUTOR
  if constexpr (requires { lock.address(); }) simt::note_lock(lock.address(), held);
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
