// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies of many bytes from global to shared memory. From Hopper on the SM's copy
// engine performs them, with one instruction of one thread per copy.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/ptx/copy_async.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// Batches of copies counted by a word in shared memory, one batch at a time. Each thread of the
/// block constructs one for the same word, and all threads call its members in step. A block
/// barrier must separate the last read of a destination from the next copy to it; no thread writes
/// a destination otherwise. PTX ISA, "cp.async.bulk" and "mbarrier"; before Hopper, copy_async() by
/// all threads.
class bulk_copy {
 public:
  __device__ explicit bulk_copy(cell<std::uint64_t>* word) : word_(word) {}

  /// Once per word; nothing else uses the word. A block barrier must follow.
  __device__ void open() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (is_first_of_block()) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(word_)) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::
                       : "memory");  // makes it visible to the copy engine
    }
#endif
  }

  __device__ void begin(cell<quad>* to, const cell<quad>* from, unsigned quads) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (!is_first_of_block() || quads == 0) return;
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
    for (unsigned i = thread_rank(); i < quads; i += block_threads()) begin(to[i], from[i]);
#endif
  }
  /// Ends a batch of copies, which may be empty.
  __device__ void end_batch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (is_first_of_block())
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(word_)) : "memory");
#endif
  }
  /// Waits for the newest batch. After a block barrier all threads see its data.
  /// \param number index of the batch, from 0.
  __device__ void wait([[maybe_unused]] unsigned number) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    std::uint32_t done = 0;
    while (done == 0) {  // the engine waits for no thread, so this ends
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
          "selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(address(word_)), "r"(number % 2)
          : "memory");
    }
#elif defined(FINESYNC_HOST_EXECUTOR)
    simt::wait_for_copies(word_);
#else
    wait_for_copies();
#endif
  }

 private:
  /// Where each thread copies a part.
  __device__ void begin(cell<quad>& to, const cell<quad>& from) {
#ifdef FINESYNC_HOST_EXECUTOR
    simt::begin_copy(&to, &from, sizeof(quad), word_);
#else
    copy_async(to, from);
#endif
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  static __device__ std::uint32_t address(const void* in_shared) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(in_shared));
  }
#endif
  cell<std::uint64_t>* word_;
};

}  // namespace finesync::inline FINESYNC_ABI
