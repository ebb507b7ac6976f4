// SPDX-License-Identifier: Apache-2.0
// The barrier of gpus_barrier.cuh for GPUs of one host or several: the root of a GPU tells the
// others by signals of NVSHMEM, and so needs no address in their memory.
//
//|  block ──add──> counters of its GPU <──poll── root ──completes all puts──> signals to the release
//|                                                                            words of every GPU
//|  block ──poll──> a release word of its own GPU, until the roots of all GPUs have signalled
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: as gpus_barrier.cuh, in a process per GPU (nvshmem_processes.cuh).
// Scope: device among the blocks of a GPU, system between GPUs that reach each other's memory. To
//   other GPUs the barrier orders what NVSHMEM's functions put.
// Ordering: as gpus_barrier.cuh, with nvshmem_quiet() by each lane that signals in place of its
//   release fence. It completes the puts of the lane's GPU, and is such a fence too. Where a GPU is
//   not reached, blocks also end their wait as those of NVSHMEM, which then orders what other hosts
//   put.
// Progress: as gpus_barrier.cuh. A wait is bounded by the watchdog, but for nvshmem_quiet().
// Traffic: as gpus_barrier.cuh, with sides x replicas signals to each GPU in place of additions.
// Fairness: not applicable.
// Reset: as gpus_barrier.cuh. A signal adds to 64 bits, and their lower half is the release word.
// Source: NVSHMEM's nvshmemx_signal_op() with NVSHMEM_SIGNAL_ADD.
#pragma once

#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/cell.cuh"
#include "finesync/device/memory_model.cuh"
#include "finesync/device/platform.cuh"
#include "finesync/host/error.cuh"
#include "finesync/host/peers.cuh"
#include "finesync/several_gpus/gpus_barrier.cuh"
#include "finesync/several_gpus/gpus_fences.cuh"
#include "finesync/several_gpus/symmetric_memory.cuh"
#include "finesync/several_gpus/symmetric_view.cuh"

#ifdef NVSHMEM_BUILD_P2P_ONLY
#error "include gpus_signal_barrier.cuh before nvshmem_cross.cuh"
#endif
#include "finesync/several_gpus/nvshmem/nvshmem_functions.cuh"
#include "finesync/several_gpus/nvshmem/nvshmem_processes.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// For gpus_link.cuh.
class link_by_signals {
  using word = cell<std::uint32_t>;

 public:
  static constexpr pieces_reached reach = pieces_reached::own;

  __device__ explicit link_by_signals(const symmetric_view& gpus) {
    for (unsigned gpu = 0; gpu < gpus.n; ++gpu)
      all_reached_ = all_reached_ && gpus.base[gpu] != nullptr;
  }

  /// NVSHMEM names a place on another GPU by that of this one.
  __device__ word* find(const symmetric_view& gpus, unsigned gpu, std::size_t offset) {
    gpu_ = static_cast<int>(gpu);
    return &gpus.at<std::uint32_t>(gpus.me, offset);
  }
  __device__ void release() const { nvshmem_quiet(); }
  __device__ void add(word& found, std::uint32_t increment) const {
    nvshmemx_signal_op(signal(found), increment, NVSHMEM_SIGNAL_ADD, gpu_);
  }
  __device__ std::uint32_t load(word& own) const {
    const atomic_ref<std::uint64_t, scope::system> whole(
        reinterpret_cast<cell<std::uint64_t>&>(own));
    return static_cast<std::uint32_t>(whole.load(memory_order::relaxed));
  }
  __device__ void acquire(word& own) const {
    if (!all_reached_) nvshmem_signal_wait_until(signal(own), NVSHMEM_CMP_GE, 0);
    gpus_fences::acquire_from_all();
  }

 private:
  __device__ static std::uint64_t* signal(word& first) {
    return reinterpret_cast<std::uint64_t*>(&first);
  }

  int gpu_ = 0;
  bool all_reached_ = true;
};

class gpus_signal_barrier : public basic_gpus_barrier<gpus_fences, link_by_signals> {
 public:
  /// As gpus_barrier. \throws launch_error too if the peers are not processes with NVSHMEM.
  template <class... Plan>
  explicit gpus_signal_barrier(const peers& all, const launch_shape& shape, const Plan&... plan)
      : basic_gpus_barrier(with_nvshmem(all), shape, plan...) {}

 private:
  static const peers& with_nvshmem(const peers& all) {
    if (dynamic_cast<const nvshmem_processes*>(all.processes().get()) == nullptr)
      throw launch_error("signals are those of processes with NVSHMEM: use --engine nvshmem");
    return all;
  }
};

static_assert(grid_barrier<gpus_signal_barrier::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
