// Barriers of a block, of some of its warps, and of a cluster. A thread that has passed one reads
// what its partner wrote before.
#pragma once

#include "context.cuh"

#include <finesync/device/await.cuh>
#include <finesync/device/cluster.cuh>
#include <finesync/device/ptx/named_barrier.cuh>

#include <cstdint>

namespace finesync::instructions {

/// What they have in common. A step gives no result, but goes on when all are there.
struct barrier_of_block {
  static constexpr bool has_result = true;
  static constexpr unsigned threads_together = 0;  ///< the whole block
  static constexpr unsigned most_threads = 1024;

  __device__ explicit barrier_of_block(const context& /*at*/) {}

  __device__ __forceinline__ unsigned seen(unsigned /*found*/, unsigned /*index*/) const {
    return 0;
  }
  __device__ cell<std::uint32_t>& partner(const context& at) const {
    return at.beside(partner_of(threadIdx.x, blockDim.x));
  }
  /// The thread of the next warp.
  __host__ __device__ static unsigned partner_of(unsigned thread, unsigned threads) {
    return (thread + 32) % threads;
  }
  static std::uint64_t expected(unsigned thread, unsigned threads, unsigned /*executions*/) {
    return partner_of(thread, threads) + 1;
  }
};

struct syncs_block : barrier_of_block {
  using barrier_of_block::barrier_of_block;
  __device__ __forceinline__ unsigned step(std::uint32_t link, unsigned index) const {
    __syncthreads();
    return computed_here(link | index);
  }
};

/// bar.sync of all warps by a number.
struct syncs_named : barrier_of_block {
  using barrier_of_block::barrier_of_block;
  __device__ __forceinline__ unsigned step(std::uint32_t link, unsigned index) const {
    named_barrier_sync(1, blockDim.x);
    return computed_here(link | index);
  }
};

/// bar.sync of two neighbouring warps, each pair by its number.
struct syncs_pair : barrier_of_block {
  static constexpr unsigned threads_together = 64;
  static constexpr unsigned most_threads = 64 * (named_barriers - 1);
  using barrier_of_block::barrier_of_block;

  __device__ __forceinline__ unsigned step(std::uint32_t link, unsigned index) const {
    named_barrier_sync(1 + threadIdx.x / 64, 64);
    return computed_here(link | index);
  }
  __device__ cell<std::uint32_t>& partner(const context& at) const {
    return at.beside(threadIdx.x ^ 32);
  }
  static std::uint64_t expected(unsigned thread, unsigned /*threads*/, unsigned /*executions*/) {
    return (thread ^ 32) + 1;
  }
};

/// The same by two barriers: one warp arrives at the first and waits at the second, its neighbour
/// waits at the first, then arrives at the second. (Would both arrive first, one could arrive again
/// where the other still has to wait.)
struct arrives_and_syncs : syncs_pair {
  static constexpr unsigned most_threads = 64 * ((named_barriers - 1) / 2);
  using syncs_pair::syncs_pair;

  __device__ __forceinline__ unsigned step(std::uint32_t link, unsigned index) const {
    const unsigned pair = 1 + 2 * (threadIdx.x / 64);
    if (threadIdx.x / 32 % 2 == 0) {
      named_barrier_arrive(pair, 64);
      named_barrier_sync(pair + 1, 64);
    } else {
      named_barrier_sync(pair, 64);
      named_barrier_arrive(pair + 1, 64);
    }
    return computed_here(link | index);
  }
};

/// barrier.cluster.arrive.release and .wait.acquire of two blocks, all threads of both.
struct syncs_cluster : barrier_of_block {
  static constexpr bool of_clusters = true;
  using barrier_of_block::barrier_of_block;

  __device__ __forceinline__ unsigned step(std::uint32_t link, unsigned index) const {
    cluster_sync<memory_order::acq_rel>();
    return computed_here(link | index);
  }
  __device__ cell<std::uint32_t>& partner(const context& at) const {
    return in_block(at.beside(threadIdx.x), (cluster_rank() + 1) % cluster_blocks());
  }
  static std::uint64_t expected(unsigned thread, unsigned /*threads*/, unsigned /*executions*/) {
    return thread + 1;
  }
};

/// An arrival of each thread at an mbarrier, and its wait for the phase's end by parity.
struct arrives_at_mbarrier : barrier_of_block {
  __device__ explicit arrives_at_mbarrier(const context& at)
      : barrier_of_block(at), arrivals(at.arrivals()), watchdog(at.watchdog) {
    if (threadIdx.x == 0) arrivals.init(blockDim.x);
    __syncthreads();
  }
  __device__ __forceinline__ unsigned step(std::uint32_t link, unsigned index) const {
    arrivals.arrive();
    await(watchdog, awaited::unspecified, [&] { return arrivals.has_ended(index); });
    return computed_here(link | index);
  }

  mbarrier& arrivals;
  const watchdog_ref& watchdog;
};

}  // namespace finesync::instructions
