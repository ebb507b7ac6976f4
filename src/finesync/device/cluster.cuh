// Thread-block clusters (Hopper and later): neighbouring blocks that run side by side, meet in a
// barrier of the hardware, and reach into each other's shared memory. launch_shape::cluster_blocks
// says how many blocks a cluster has. Where there are no clusters (a GPU before sm_90, or the host
// executor when it imitates one) every block is a cluster of its own, and all of this still holds.
//
// Cost, on an H200: a relaxed cluster_sync() of 16 blocks about 100 cycles, with acq_rel 370; an
// atomic in another block's shared memory 230, as much as one in the L2, in the own block 33.
#pragma once

#include "finesync/device/memory_model.cuh"
#include "finesync/device/platform.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define FINESYNC_HAS_CLUSTERS
#endif

namespace finesync {
inline namespace FINESYNC_ABI {

/// The block's place in its cluster, 0 to cluster_blocks() - 1.
__device__ __forceinline__ unsigned cluster_rank() {
#ifdef FINESYNC_HAS_CLUSTERS
  return __clusterRelativeBlockRank();
#elif defined(FINESYNC_HOST_EXECUTOR)
  return simt::cluster_rank();
#else
  return 0;
#endif
}

/// Blocks in the caller's cluster.
__device__ __forceinline__ unsigned cluster_blocks() {
#ifdef FINESYNC_HAS_CLUSTERS
  return __clusterSizeInBlocks();
#elif defined(FINESYNC_HOST_EXECUTOR)
  return simt::cluster_blocks();
#else
  return 1;
#endif
}

/// The cluster's place in the grid: cluster c has the blocks c * cluster_blocks() and following.
__device__ __forceinline__ unsigned cluster_index() {
  return blockIdx.x / cluster_blocks();
}

/// Waits for all threads of all blocks of the cluster that have not ended; all of them call it, as
/// they would __syncthreads(). With acq_rel it orders memory among them, as that does within a
/// block. With relaxed it orders none: a release fence goes before it, an acquire fence after it.
/// No watchdog can end this wait.
///
/// A block must not end while others may still reach into its shared memory: let a cluster_sync()
/// be the last that all blocks do.
template <memory_order Order>
__device__ __forceinline__ void cluster_sync() {
  static_assert(Order == memory_order::relaxed || Order == memory_order::acq_rel);
#ifdef FINESYNC_HAS_CLUSTERS
  // CUDA's own functions leave out .aligned, and with it what makes this cheap.
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

/// The object that block `rank` of the cluster has where the caller's block has `own`, which is in
/// shared memory. Valid once that block has begun, so after a first cluster_sync().
///
/// Atomic access to its words is atomic_ref's with scope::cluster: all of it for words of 32 bits,
/// loads and stores alone for words of 64. What ptxas (CUDA 13.0) makes of a 64-bit read-modify-
/// write is one attempt (ATOM.64 with a predicate), and where that fails a load, the operation and
/// a store, which are three accesses: updates are lost. Of 32 bits it is one instruction.
template <class T>
__device__ __forceinline__ T& in_block(T& own, [[maybe_unused]] unsigned rank) {
#ifdef FINESYNC_HAS_CLUSTERS
  return *static_cast<T*>(__cluster_map_shared_rank(&own, rank));
#elif defined(FINESYNC_HOST_EXECUTOR)
  return *static_cast<T*>(simt::in_block(&own, rank));
#else
  return own;
#endif
}

}  // namespace FINESYNC_ABI
}  // namespace finesync

#undef FINESYNC_HAS_CLUSTERS
