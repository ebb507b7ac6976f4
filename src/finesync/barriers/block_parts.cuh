// SPDX-License-Identifier: Apache-2.0
// Parts of a block that stand for blocks of their own: one block per SM instead of several small
// ones. A grid barrier then has one arrival per SM, and its release fence is paid once.
//
//|  4 blocks of 64 threads on an SM        1 block of 4 parts of 64 threads
//|    __syncthreads()                        part.sync()
//|    block_rank(), grid_blocks()            part.index_in_grid(), part.number_in_grid()
//|    thread_rank(), block_threads()         part.thread(), part.threads()
//|    participant.wait()                     participant.wait(), by all parts
//
// Why: an SM has one release fence under way at a time. Fences of two blocks of one SM rarely begin
// together, so a barrier of all blocks waits for two of them, one after the other; no legal form of
// the release avoids that. On an H100 it costs 0.2 us with two blocks of 64 threads per SM and 0.3
// with eight. With one block per SM its parts meet in the SM first.
//
// Use: const block_part part(4);  // 4 parts; then as in the table
// Participants: whole warps. All parts have equally many threads. A grid barrier is for all threads
//   of the block, as always: a part that has nothing left to do still waits.
// Scope: block.
// Ordering: sync() orders the part's threads, as __syncthreads() does a block's.
// Progress: blocking; no watchdog can end sync().
// Traffic: none in memory; sync() is a named barrier of the block.
// Limits: 1 to 15 parts, as hardware has 16 named barriers. Parts share the block's shared memory,
//   and its limit of 1,024 threads.
// Source: ours.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/platform.cuh"
#include "finesync/device/ptx/named_barrier.cuh"
#include "finesync/device/require.cuh"

namespace finesync::inline FINESYNC_ABI {

class block_part {
 public:
  /// \param parts of the block, as many for all its threads.
  __device__ explicit block_part(unsigned parts)
      : parts_(parts), threads_(block_threads() / parts), index_(thread_rank() / threads_) {
    require_on_executor(parts >= 1 && parts < named_barriers, "block_part: 1 to 15 parts");
    require_on_executor(threads_ % 32 == 0 && threads_ * parts == block_threads(),
                        "block_part: the parts of a block are whole warps, equally many");
  }

  __device__ unsigned index() const { return index_; }
  __device__ unsigned threads() const { return threads_; }
  /// The caller's index in its part.
  __device__ unsigned thread() const { return thread_rank() - index_ * threads_; }

  /// The part's index among those of all blocks.
  __device__ unsigned index_in_grid() const { return block_rank() * parts_ + index_; }
  __device__ unsigned number_in_grid() const { return grid_blocks() * parts_; }

  /// Waits for the part's threads.
  __device__ void sync() const { named_barrier_sync(1 + index_, threads_); }

 private:
  unsigned parts_;
  unsigned threads_;
  unsigned index_;
};

}  // namespace finesync::inline FINESYNC_ABI
