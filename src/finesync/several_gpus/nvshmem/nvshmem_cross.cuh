// SPDX-License-Identifier: Apache-2.0
// A barrier of all blocks of several GPUs as one writes it with NVSHMEM: CUDA's grid.sync(),
// NVSHMEM's barrier of all by one block per GPU, grid.sync(). A baseline for gpus_barrier.cuh, in
// the frame of grid_cross_grid.cuh.
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants, scope, progress, fairness, reset: as nccl_lsa_cross.cuh, in processes of
//   nvshmem_processes.cuh on one host.
// Ordering: grid.sync(); in block 0 the barrier of NVSHMEM, which completes the writes of its GPU
//   to the others; grid.sync().
// Traffic: two grid barriers; per GPU a fence of system scope and a store to each other GPU.
// Source: NVSHMEM's nvshmemx_barrier_all_block(), in the form for GPUs that reach each other's
//   memory, which takes the fewest registers: with the general one fewer blocks are resident.
#pragma once

#include "finesync/barriers/cooperative_groups_barrier.cuh"
#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/device/platform.cuh"
#include "finesync/host/error.cuh"
#include "finesync/host/launch_shape.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/several_gpus/grid_cross_grid.cuh"
#include "finesync/several_gpus/symmetric_memory.cuh"

#define NVSHMEM_BUILD_P2P_ONLY
#include "finesync/several_gpus/nvshmem/nvshmem_functions.cuh"
#include "finesync/several_gpus/nvshmem/nvshmem_processes.cuh"

namespace finesync::inline FINESYNC_ABI {

/// The second step.
class nvshmem_cross {
 public:
  class participant {
   public:
    __device__ bool wait() {
      nvshmemx_barrier_all_block();
      return true;
    }
  };

  class ref_type {
   public:
    using participant = nvshmem_cross::participant;
    __device__ participant join(const watchdog_ref&) const { return {}; }
  };

  /// \throws launch_error if the peers are not processes with NVSHMEM, or a GPU does not reach the
  /// memory of all others.
  nvshmem_cross(const peers& all, const launch_shape& /*shape*/) {
    if (dynamic_cast<const nvshmem_processes*>(all.processes().get()) == nullptr)
      throw launch_error(
          "NVSHMEM's barrier is one of processes with NVSHMEM: use --engine nvshmem");
    const symmetric_memory reached_by_all(all, 1);
  }

  void reset() {}
  ref_type ref(unsigned /*me*/) const { return {}; }
};

using nvshmem_cross_barrier = grid_cross_grid_barrier<cooperative_groups_barrier, nvshmem_cross>;

static_assert(grid_barrier<nvshmem_cross_barrier::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
