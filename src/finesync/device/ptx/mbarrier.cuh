// A barrier in shared memory that counts arrivals by phases: as many of them as it has been told
// end a phase, and the next begins (PTX ISA, "mbarrier", sm_80 and later). On the host executor,
// and on GPUs that have none, it is a counter.
#pragma once

#include "finesync/device/atomic_ref.cuh"

#include <cstdint>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define FINESYNC_HAS_MBARRIER
#endif

namespace finesync {
inline namespace FINESYNC_ABI {

/// 8 bytes of shared memory, which nobody copies. All bytes are undefined before init().
class alignas(8) mbarrier {
 public:
  /// One thread, before a barrier of all who use it.
  /// \param arrivals that end a phase: 1 to 2^20 - 1; on the host executor a power of two, if there
  /// are to be more than 2^32 in all.
  __device__ __forceinline__ void init(unsigned arrivals) {
#ifdef FINESYNC_HAS_MBARRIER
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
#else
    arrived_ = 0;
    expected_ = arrivals;
#endif
  }

  /// One thread, behind a barrier of all who have used it: the memory may then be anything else.
  __device__ __forceinline__ void invalidate() {
#ifdef FINESYNC_HAS_MBARRIER
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address()) : "memory");
#endif
  }

  /// Counts for the phase that goes on. A release.
  __device__ __forceinline__ void arrive() {
#ifdef FINESYNC_HAS_MBARRIER
    asm volatile("{.reg .b64 phase; mbarrier.arrive.shared.b64 phase, [%0];}" ::"r"(address())
                 : "memory");
#else
    counter(arrived_).fetch_add(1, memory_order::release);
#endif
  }

  /// Whether the phase of this number, the one that goes on or the one before it, has ended. If so,
  /// an acquire of what was done before its arrivals. On Hopper and later it may wait a while for
  /// the end.
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

}  // namespace FINESYNC_ABI
}  // namespace finesync
