// SPDX-License-Identifier: Apache-2.0
// Fences: order all earlier accesses of a thread before all later ones.
#pragma once

#include "finesync/device/memory_model.cuh"
#include "finesync/device/platform.cuh"

#ifndef FINESYNC_HOST_EXECUTOR
#include <cuda/atomic>
#endif

namespace finesync::inline FINESYNC_ABI {

/// A fence of `Order` (acquire, release, acq_rel or seq_cst) for the threads of `Scope`.
///
/// fence<seq_cst, device> is CUDA's __threadfence(). On Hopper and later a pure acquire or release
/// is cheaper than acq_rel (the acquire invalidates the L1, the release waits for stores; PTX ISA
/// 8.6, "fence"). Elsewhere both become acq_rel, as PTX has nothing weaker there. Before Hopper a
/// fence of cluster scope is one of block scope.
///
/// Cost, on an H200, in cycles (docs/library/fences.md): an acquire 36. A release of device or
/// cluster scope depends on the accesses to device memory by the SM's threads since the SM's last
/// such fence. It takes 257 without any, 396 after accesses only to the SM's own side of the L2,
/// 556 after others (l2_lines.cuh); acq_rel and seq_cst take 29 more. On an H100 it takes 640 in
/// any case. Loads count as much as stores and atomics, and their age does not matter; shared
/// memory, also of other blocks, does not count.
template <memory_order Order, scope Scope>
__device__ __forceinline__ void fence() {
  static_assert(Order != memory_order::relaxed, "a relaxed fence orders nothing");
#ifdef FINESYNC_HOST_EXECUTOR
  simt::perform({.kind = simt::op_kind::fence, .order = Order, .reach = Scope});
#elif defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 900 && CUDART_VERSION >= 12070
  if constexpr (Order == memory_order::acquire && Scope == scope::device) {
    asm volatile("fence.acquire.gpu;" ::: "memory");
    return;
  } else if constexpr (Order == memory_order::release && Scope == scope::device) {
    asm volatile("fence.release.gpu;" ::: "memory");
    return;
  } else if constexpr (Order == memory_order::acquire && Scope == scope::system) {
    asm volatile("fence.acquire.sys;" ::: "memory");
    return;
  } else if constexpr (Order == memory_order::release && Scope == scope::system) {
    asm volatile("fence.release.sys;" ::: "memory");
    return;
  } else if constexpr (Order == memory_order::acquire && Scope == scope::cluster) {
    asm volatile("fence.acquire.cluster;" ::: "memory");
    return;
  } else if constexpr (Order == memory_order::release && Scope == scope::cluster) {
    asm volatile("fence.release.cluster;" ::: "memory");
    return;
  }
#endif
#if __CUDA_ARCH__ >= 900
  if constexpr (Scope == scope::cluster) {  // libcu++ has no such scope
    if constexpr (Order == memory_order::seq_cst) {
      asm volatile("fence.sc.cluster;" ::: "memory");
    } else {
      asm volatile("fence.acq_rel.cluster;" ::: "memory");
    }
    return;
  }
#endif
  constexpr cuda::thread_scope reach = Scope == scope::system   ? cuda::thread_scope_system
                                       : Scope == scope::device ? cuda::thread_scope_device
                                                                : cuda::thread_scope_block;
  constexpr cuda::std::memory_order order = Order == memory_order::seq_cst
                                                ? cuda::std::memory_order_seq_cst
                                                : cuda::std::memory_order_acq_rel;
  cuda::atomic_thread_fence(order, reach);
#endif
}

}  // namespace finesync::inline FINESYNC_ABI
