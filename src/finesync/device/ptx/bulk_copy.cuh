// Copies of many bytes from global to shared memory that go on while the block does other things:
// from Hopper on by the copy engine of the SM, which needs one instruction of one thread for each.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/ptx/copy_async.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

/// Batches of copies that a word in shared memory counts, one batch at a time. All threads of the
/// block make one of these, of the same word, and call its members in step. Between the last read
/// of a place and the next copy to it stands a barrier of the block; nobody writes to such places
/// otherwise. PTX ISA, "cp.async.bulk" and "mbarrier"; before Hopper, copy_async() by all threads.
class bulk_copy {
 public:
  __device__ explicit bulk_copy(cell<std::uint64_t>* word) : word_(word) {}

  /// Once for the word, which is for this alone. A barrier of the block stands behind it.
  __device__ void open() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(word_)) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the engine sees it, too
    }
#endif
  }

  /// Begins a copy.
  __device__ void begin(cell<quad>* to, const cell<quad>* from, unsigned quads) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (threadIdx.x != 0 || quads == 0) return;
    const auto bytes = static_cast<std::uint32_t>(quads * sizeof(quad));
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(address(word_)),
                 "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(address(word_))
        : "memory");
#else
    for (unsigned i = threadIdx.x; i < quads; i += blockDim.x) copy_async(to[i], from[i]);
#endif
  }
  /// Behind those of a batch; there may be none.
  __device__ void end_batch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(word_)) : "memory");
#endif
  }
  /// Waits for a batch, the newest one. With a barrier of the block behind it, everyone sees all of
  /// it. \param number of the word's batches, from 0 on.
  __device__ void wait([[maybe_unused]] unsigned number) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    std::uint32_t done = 0;
    while (done == 0) {  // the engine waits for nobody, so neither can this last
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
          "selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(address(word_)), "r"(number % 2)
          : "memory");
    }
#else
    wait_for_copies();
#endif
  }

 private:
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  static __device__ std::uint32_t address(const void* in_shared) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(in_shared));
  }
#endif
  cell<std::uint64_t>* word_;
};

}  // namespace FINESYNC_ABI
}  // namespace finesync
