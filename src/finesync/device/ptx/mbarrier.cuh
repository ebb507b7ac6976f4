// SPDX-License-Identifier: Apache-2.0
// A barrier in shared memory that counts arrivals in phases. A fixed number of arrivals ends a
// phase and starts the next (PTX ISA, "mbarrier", sm_80 and later). On the host executor and on
// older GPUs it is a counter.
#pragma once

#include "finesync/device/atomic_ref.cuh"

#include <cstdint>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define FINESYNC_HAS_MBARRIER
#endif

namespace finesync::inline FINESYNC_ABI {

/// 8 bytes of shared memory, not to be copied. All bytes are undefined before init().
class alignas(8) mbarrier {
 public:
  /// By one thread, before a barrier of all users.
  /// \param arrivals arrivals per phase: 1 to 2^20 - 1. On the host executor a power of two if
  /// there are more than 2^32 in all.
  __device__ __forceinline__ void init(unsigned arrivals) {
#ifdef FINESYNC_HAS_MBARRIER
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
#else
    arrived_ = 0;
    expected_ = arrivals;
#ifdef FINESYNC_HOST_EXECUTOR
    simt::note_arrival_counter(&arrived_, arrivals);
#endif
#endif
  }

  /// By one thread, after a barrier of all users: the memory may then be reused.
  __device__ __forceinline__ void invalidate() {
#ifdef FINESYNC_HAS_MBARRIER
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address()) : "memory");
#endif
  }

  /// Arrives at the current phase. A release.
  __device__ __forceinline__ void arrive() {
#ifdef FINESYNC_HAS_MBARRIER
    asm volatile("{.reg .b64 phase; mbarrier.arrive.shared.b64 phase, [%0];}" ::"r"(address())
                 : "memory");
#else
    counter(arrived_).fetch_add(1, memory_order::release);
#endif
  }

  /// Whether phase number `phase`, the current or the previous one, has ended. If so, acquires what
  /// was done before its arrivals. On Hopper and later it may wait a while for the end.
  __device__ __forceinline__ bool has_ended(unsigned phase) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    std::uint32_t ended;
    asm volatile(
        "{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
        : "=r"(ended)
        : "r"(address()), "r"(phase & 1)
        : "memory");
    return ended != 0;
#else
    return has_ended_by_now(phase);
#endif
  }

  /// The same, without a wait.
  __device__ __forceinline__ bool has_ended_by_now(unsigned phase) {
#ifdef FINESYNC_HAS_MBARRIER
    std::uint32_t ended;
    asm volatile(
        "{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
        : "=r"(ended)
        : "r"(address()), "r"(phase & 1)
        : "memory");
    return ended != 0;
#else
    const std::uint32_t expected = expected_;
    return ((counter(arrived_).load(memory_order::acquire) / expected ^ phase) & 1) != 0;
#endif
  }

 private:
#ifdef FINESYNC_HAS_MBARRIER
  __device__ __forceinline__ std::uint32_t address() const {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(this));
  }
#endif
  using counter = atomic_ref<std::uint32_t, scope::block>;

  cell<std::uint32_t> arrived_;
  cell<std::uint32_t> expected_;
};

}  // namespace finesync::inline FINESYNC_ABI
