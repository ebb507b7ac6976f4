// SPDX-License-Identifier: Apache-2.0
// The orders and scopes of a barrier of several GPUs, as a policy, so that tests can weaken one.
#pragma once

#include "finesync/device/fence.cuh"

namespace finesync::inline FINESYNC_ABI {

struct gpus_fences {
  static constexpr scope crossing = scope::system;  ///< of words that other GPUs write

  /// Before a block arrives on its GPU: releases its writes there.
  __device__ static void release() { fence<memory_order::release, scope::device>(); }
  /// After a block has seen all arrivals of its GPU.
  __device__ static void acquire() { fence<memory_order::acquire, scope::device>(); }
  /// Before a block writes on other GPUs: releases to them its writes and what it has acquired.
  __device__ static void release_to_all() { fence<memory_order::release, scope::system>(); }
  /// After the last poll of what other GPUs write.
  __device__ static void acquire_from_all() { fence<memory_order::acquire, scope::system>(); }
};

}  // namespace finesync::inline FINESYNC_ABI
