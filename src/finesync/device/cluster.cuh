// SPDX-License-Identifier: Apache-2.0
// Thread-block clusters (Hopper and later): adjacent blocks that run at the same time, synchronize
// through a hardware barrier, and access each other's shared memory. launch_shape::cluster_blocks
// sets the number of blocks per cluster. Without clusters (a GPU before sm_90, or the host executor
// imitating one) every block is its own cluster, and all functions here still work.
//
// Cost, on an H200: a relaxed cluster_sync() of 16 blocks about 100 cycles, with acq_rel 370. An
// atomic in another block's shared memory takes 230, as much as one in the L2; in the block's own
// shared memory 33.
#pragma once

#include "finesync/device/memory_model.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/platform.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define FINESYNC_HAS_CLUSTERS
#endif

namespace finesync::inline FINESYNC_ABI {

/// The block's rank in its cluster, 0 to cluster_blocks() - 1.
__device__ __forceinline__ unsigned cluster_rank() {
#ifdef FINESYNC_HAS_CLUSTERS
  return __clusterRelativeBlockRank();
#elif defined(FINESYNC_HOST_EXECUTOR)
  return simt::cluster_rank();
#else
  return 0;
#endif
}

/// Number of blocks in the caller's cluster.
__device__ __forceinline__ unsigned cluster_blocks() {
#ifdef FINESYNC_HAS_CLUSTERS
  return __clusterSizeInBlocks();
#elif defined(FINESYNC_HOST_EXECUTOR)
  return simt::cluster_blocks();
#else
  return 1;
#endif
}

/// The cluster's index in the grid: cluster c starts at block c * cluster_blocks().
__device__ __forceinline__ unsigned cluster_index() {
  return block_rank() / cluster_blocks();
}

/// Waits for all threads of all blocks of the cluster that have not exited; all of them call it,
/// like __syncthreads(). With acq_rel it orders memory among them, as __syncthreads() does within a
/// block. With relaxed it orders no memory: put a release fence before it and an acquire fence
/// after it. No watchdog can end this wait.
///
/// A block must not exit while other blocks may still access its shared memory: end all blocks with
/// a cluster_sync().
template <memory_order Order>
__device__ __forceinline__ void cluster_sync() {
  static_assert(Order == memory_order::relaxed || Order == memory_order::acq_rel);
#ifdef FINESYNC_HAS_CLUSTERS
  // CUDA's own functions omit .aligned, which makes this cheap.
  if constexpr (Order == memory_order::relaxed) {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  } else {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  }
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#elif defined(FINESYNC_HOST_EXECUTOR)
  simt::cluster_barrier(Order);
#else
  __syncthreads();
#endif
}

/// Block `rank`'s counterpart of the object `own`, which is in the caller's shared memory. Valid
/// once that block has started, so after a first cluster_sync().
///
/// For atomic access use atomic_ref with scope::cluster: all operations on 32-bit words, only loads
/// and stores on 64-bit words. For a 64-bit read-modify-write ptxas (CUDA 13.0) emits one attempt
/// (ATOM.64 with a predicate). If that fails, it uses a load, the operation and a store, which are
/// three accesses: updates are lost. A 32-bit one is a single instruction.
template <class Type>
__device__ __forceinline__ Type& in_block(Type& own, [[maybe_unused]] unsigned rank) {
#ifdef FINESYNC_HAS_CLUSTERS
  return *static_cast<Type*>(__cluster_map_shared_rank(&own, rank));
#elif defined(FINESYNC_HOST_EXECUTOR)
  return *static_cast<Type*>(simt::in_block(&own, rank));
#else
  return own;
#endif
}

}  // namespace finesync::inline FINESYNC_ABI

#undef FINESYNC_HAS_CLUSTERS
