// SPDX-License-Identifier: Apache-2.0
// A CAS semaphore in shared memory, for the threads of one block or of the blocks of one cluster.
// The word is in the shared memory of the cluster's first block. An atomic of its own threads takes
// 33 cycles there, one of another block 230, as much as in the L2 (device/cluster.cuh).
//
//|  using permits = shared_semaphore<scope::cluster>;
//|  auto& mine = shared_storage<permits::block_storage>();
//|  permits::open(mine);                         all threads of all blocks of the cluster
//|  const permits semaphore(mine, size);
//|  if (!run_with_permits(semaphore, 1, section, watchdog)) ...
//|  permits::close();                            all threads again
//
// Participants: threads of the block or the cluster, whose blocks all have a block_storage at the
//   same place. Without clusters (launch_shape::cluster_blocks) each block is its own.
// Scope: template parameter, block or cluster. What the sections access may be in any memory.
// Ordering: as cas_semaphore.cuh, among the threads of the scope.
// Progress, fairness: as cas_semaphore.cuh.
// Residency: none to care for; a cluster runs as a whole.
// Traffic: one load per poll, one CAS per poll that found enough permits, one atomic to leave; none
//   in global memory.
// Reset: open() frees all permits. No thread enters before all have called it, and no block exits
//   before all have called close(): a thread that gives up calls it too.
//
// Not a ticket_semaphore: its words have 64 bits, and in a cluster only words of 32 are modified
// atomically (device/cluster.cuh).
#pragma once

#include "finesync/device/backoff.cuh"
#include "finesync/device/cluster.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/semaphores/cas_semaphore.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <scope Scope, class Backoff = no_backoff>
class shared_semaphore : public cas_semaphore_ref<Backoff, Scope> {
  static_assert(Scope == scope::block || Scope == scope::cluster);

 public:
  using backoff_policy = Backoff;

  /// A block's part; only that of the cluster's first block is used.
  struct block_storage {
    cell<std::uint32_t> taken;
  };

  /// \param size 1 to 2^31, the same in all threads.
  __device__ shared_semaphore(block_storage& mine, unsigned size)
      : cas_semaphore_ref<Backoff, Scope>(&word_of(mine), size) {}

  __device__ static void open(block_storage& mine) {
    if (is_first_of_block()) mine.taken = 0u;
    meet();
  }
  __device__ static void close() { meet(); }

 private:
  __device__ static cell<std::uint32_t>& word_of(block_storage& mine) {
    if constexpr (Scope == scope::cluster) return in_block(mine.taken, 0);
    return mine.taken;
  }
  __device__ static void meet() {
    if constexpr (Scope == scope::cluster)
      cluster_sync<memory_order::acq_rel>();
    else
      __syncthreads();
  }
};

}  // namespace finesync::inline FINESYNC_ABI
