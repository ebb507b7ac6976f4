// SPDX-License-Identifier: Apache-2.0
// A barrier of all blocks of several GPUs in three steps: a grid barrier on each GPU, a barrier of
// one block per GPU, and the grid barrier again. Communication libraries offer the second step
// (NCCL's barrier over peers, NVSHMEM's barrier of a block). A baseline for gpus_barrier.cuh, which
// gathers and releases in the two trips that the two grid barriers take here.
//
//|  all blocks ──grid barrier──> block 0 ──cross──> block 0 of each GPU ──grid barrier──> all blocks
//
// The second step is a parameter. By default it crosses by boxes:
//
//|  block 0 ──fence, then its round──> a box on each GPU
//|  block 0 ──polls──> the boxes of its own GPU, until all have its round
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid on each GPU, of one shape
//   (launch_together()). By boxes, a block has at least as many threads as there are GPUs.
// Scope: that of the grid barrier among the blocks of a GPU, system between GPUs.
// Ordering: a grid barrier; in block 0 the second step; the grid barrier, which passes on to the
//   other blocks what block 0 acquired (cumulativity). By boxes, the second step is a release fence
//   of system scope and a relaxed store at that scope by a lane per GPU, relaxed polls, an acquire
//   fence of system scope, a block barrier.
// Progress: blocking; every block of every GPU must be resident at the same time. A wait within the
//   grid barrier ends as that barrier's.
// Traffic: two grid barriers; by boxes, per GPU one fence of system scope, and a posted store to
//   each GPU.
// Fairness: not applicable.
// Reset: none between barriers or launches. After a wait that timed out: reset(), with no kernel
//   running.
#pragma once

#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/await.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/wrap_around.cuh"
#include "finesync/host/launch.cuh"
#include "finesync/several_gpus/gpus_fences.cuh"
#include "finesync/several_gpus/gpus_grid.cuh"
#include "finesync/several_gpus/symmetric_memory.cuh"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// The second step, by a box on each GPU for each GPU. \tparam Fences so that tests can weaken one.
template <class Fences = gpus_fences>
class cross_by_boxes {
  using word = cell<std::uint32_t>;
  using box = atomic_ref<std::uint32_t, Fences::crossing>;

 public:
  class participant {
   public:
    /// By all threads of block 0 alone.
    __device__ bool wait() {
      ++round_;
      const bool crossed = sent_ == nullptr || cross();
      return __syncthreads_or(!crossed) == 0;
    }

   private:
    friend class cross_by_boxes;

    __device__ participant(const symmetric_view& gpus, const watchdog_ref& watchdog)
        : watchdog_(watchdog) {
      const auto box_on = [&](unsigned gpu, unsigned from) -> word& {
        return gpus.at<std::uint32_t>(gpu, std::size_t{from} * line_bytes);
      };
      // Only its own GPU writes this box: others may already be in their first round.
      round_ = box(box_on(gpus.me, gpus.me)).load(memory_order::relaxed);
      const unsigned thread = thread_rank();
      if (block_rank() != 0 || thread >= gpus.n) return;
      sent_ = &box_on(thread, gpus.me);
      watched_ = &box_on(gpus.me, thread);
    }

    /// By a lane per GPU.
    __device__ bool cross() {
      Fences::release_to_all();
      box(*sent_).store(round_, memory_order::relaxed);
      std::uint32_t seen = 0;
      const auto has_come = [&] {
        seen = box(*watched_).load(memory_order::relaxed);
        return has_reached(seen, round_);
      };
      if (!await(watchdog_, awaited::gpus, has_come, [&] { return wait_evidence{seen, round_}; }))
        return false;
      Fences::acquire_from_all();
      return true;
    }

    watchdog_ref watchdog_;
    word* sent_ = nullptr;     ///< the box of this GPU on the GPU of this lane, if it has one
    word* watched_ = nullptr;  ///< the box of the lane's GPU on this one
    std::uint32_t round_;
  };

  class ref_type {
   public:
    using participant = cross_by_boxes::participant;

    explicit ref_type(const symmetric_view& gpus) : gpus_(gpus) {}
    __device__ participant join(const watchdog_ref& watchdog) const {
      return participant(gpus_, watchdog);
    }

   private:
    symmetric_view gpus_;
  };

  /// \throws as gpus_barrier.
  cross_by_boxes(const peers& all, const launch_shape& shape)
      : memory_((checked_for(all, shape), all), all.size() * line_bytes / sizeof(std::uint32_t)) {}

  void reset() { memory_.reset(); }
  ref_type ref(unsigned me) const { return ref_type(memory_.view(me)); }

 private:
  symmetric_memory memory_;
};

/// \tparam GridBarrier an owner, see grid_barrier.cuh. \tparam Cross an owner of the second step
/// with the members of cross_by_boxes: all threads join, only block 0 waits.
template <class GridBarrier, class Cross = cross_by_boxes<>>
class grid_cross_grid_barrier {
  using grid_ref = decltype(std::declval<const GridBarrier&>().ref());
  using cross_ref = typename Cross::ref_type;

 public:
  class participant {
   public:
    __device__ bool wait() {
      if (!grid_.wait()) return false;
      if (block_rank() == 0 && !cross_.wait()) return false;
      return grid_.wait();
    }

   private:
    friend class grid_cross_grid_barrier;

    __device__ participant(const grid_ref& grid, const cross_ref& cross,
                           const watchdog_ref& watchdog)
        : grid_(grid.join(watchdog)), cross_(cross.join(watchdog)) {}

    typename grid_ref::participant grid_;
    typename cross_ref::participant cross_;
  };

  class ref_type {
   public:
    using participant = grid_cross_grid_barrier::participant;
    static constexpr bool any_dimension = in_any_dimension<grid_ref>;

    ref_type(const grid_ref& grid, const cross_ref& cross) : grid_(grid), cross_(cross) {}
    __device__ participant join(const watchdog_ref& watchdog) const {
      return participant(grid_, cross_, watchdog);
    }

   private:
    grid_ref grid_;
    cross_ref cross_;
  };

  /// For grids of this shape on each peer. It does not outlive the peers. \throws as Cross.
  grid_cross_grid_barrier(const peers& all, const launch_shape& shape)
      : first_(all.first()), cross_(all, shape) {
    for (const stream& each : all.streams()) {
      const device_guard here(each.device());
      grids_.emplace_back(shape, each);
    }
  }

  void reset() {
    for (GridBarrier& each : grids_) each.reset();
    cross_.reset();
  }
  ref_type ref(unsigned me) const { return {grids_[me - first_].ref(), cross_.ref(me)}; }

 private:
  unsigned first_;
  Cross cross_;
  std::vector<GridBarrier> grids_;
};

}  // namespace finesync::inline FINESYNC_ABI
