// SPDX-License-Identifier: Apache-2.0
// A barrier of all blocks of several GPUs as one writes it with NCCL: CUDA's grid.sync(), NCCL's
// barrier of the load/store accessible team by one block per GPU, grid.sync(). A baseline for
// gpus_barrier.cuh, in the frame of grid_cross_grid.cuh.
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid on each GPU, of one shape, in a process per GPU
//   (nccl_processes.cuh).
// Scope: device among the blocks of a GPU, system between GPUs.
// Ordering: grid.sync(); in block 0 the barrier of NCCL with release and acquire; grid.sync().
// Progress: blocking; every block of every GPU must be resident at the same time. The waits are
//   CUDA's and NCCL's, without a watchdog: wait() never returns false, and if a block does not
//   arrive, the kernels hang.
// Traffic: two grid barriers; per GPU a release store to each other GPU.
// Fairness: not applicable.
// Reset: none.
// Source: NCCL's ncclLsaBarrierSession.
#pragma once

#include "finesync/barriers/cooperative_groups_barrier.cuh"
#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/host/error.cuh"
#include "finesync/host/launch_shape.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/several_gpus/grid_cross_grid.cuh"
#include "finesync/several_gpus/nccl/nccl_processes.cuh"

#include <cuda/atomic>

#include <new>

namespace finesync::inline FINESYNC_ABI {

/// The second step.
class nccl_lsa_cross {
 public:
  class participant {
   public:
    __device__ ~participant() {
      if (block_rank() == 0) gpus_.~session();
    }
    participant(const participant&) = delete;
    participant& operator=(const participant&) = delete;

    __device__ bool wait() {
      gpus_.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
      return true;
    }

   private:
    friend class nccl_lsa_cross;
    using session = ncclLsaBarrierSession<ncclCoopCta>;

    __device__ explicit participant(const ncclDevComm& gpus) {
      if (block_rank() == 0) ::new (&gpus_) session(ncclCoopCta(), gpus, ncclTeamTagLsa(), 0u);
    }

    union {
      session gpus_;  ///< of block 0: it keeps its round in registers until the kernel's end
    };
  };

  class ref_type {
   public:
    using participant = nccl_lsa_cross::participant;

    explicit ref_type(const ncclDevComm& gpus) : gpus_(gpus) {}
    __device__ participant join(const watchdog_ref&) const { return participant(gpus_); }

   private:
    ncclDevComm gpus_;
  };

  /// \throws launch_error if the peers are not processes with NCCL.
  nccl_lsa_cross(const peers& all, const launch_shape& /*shape*/)
      : processes_(dynamic_cast<const nccl_processes*>(all.processes().get())) {
    if (processes_ == nullptr)
      throw launch_error("NCCL's barrier is one of processes with NCCL: use --engine nccl");
  }

  void reset() {}
  ref_type ref(unsigned /*me*/) const { return ref_type(processes_->on_device()); }

 private:
  const nccl_processes* processes_;
};

using nccl_lsa_cross_barrier = grid_cross_grid_barrier<cooperative_groups_barrier, nccl_lsa_cross>;

static_assert(grid_barrier<nccl_lsa_cross_barrier::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
