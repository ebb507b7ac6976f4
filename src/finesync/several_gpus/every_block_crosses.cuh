// SPDX-License-Identifier: Apache-2.0
// The plain barrier of all blocks of several GPUs: every block crosses the link by itself. A
// baseline for gpus_barrier.cuh.
//
//|  every block ──fence, then adds 1──> one counter on each GPU
//|  every block ──polls──> the counter of its own GPU, until all blocks of all GPUs have added
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants, progress, fairness, reset: as grid_cross_grid.cuh, by boxes.
// Scope: system.
// Ordering: block barrier; a release fence of system scope and a relaxed addition at that scope by
//   a lane per GPU; relaxed polls; an acquire fence of system scope; block barrier. A counter's
//   additions are one release sequence, so the last poll synchronizes with every block.
// Traffic per block: one fence of system scope, an addition on each GPU, one load per poll.
#pragma once

#include "finesync/barriers/epoch_counter.cuh"
#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/await.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/wrap_around.cuh"
#include "finesync/several_gpus/gpus_fences.cuh"
#include "finesync/several_gpus/gpus_grid.cuh"
#include "finesync/several_gpus/symmetric_memory.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

/// \tparam Fences so that tests can weaken one.
template <class Fences = gpus_fences>
class every_block_crosses_barrier {
  using word = cell<std::uint32_t>;
  using counter = atomic_ref<std::uint32_t, Fences::crossing>;

 public:
  class participant {
   public:
    __device__ bool wait() {
      __syncthreads();
      const bool passed = added_ == nullptr || meet();
      return __syncthreads_or(!passed) == 0;
    }

   private:
    friend class every_block_crosses_barrier;

    // The epoch cannot end before this block has arrived.
    __device__ participant(const symmetric_view& gpus, const watchdog_ref& watchdog)
        : watchdog_(watchdog), watched_(&gpus.at<std::uint32_t>(gpus.me, 0)) {
      const epoch_counter arrivals(gpus.n * grid_blocks());
      epoch_ = arrivals.epoch();
      target_ = arrivals.target(counter(*watched_).load(memory_order::relaxed));
      increment_ = arrivals.increment(gpus.me == 0 && block_rank() == 0);
      const unsigned thread = thread_rank();
      if (thread < gpus.n) added_ = &gpus.at<std::uint32_t>(thread, 0);
    }

    /// By a lane per GPU.
    __device__ bool meet() {
      Fences::release_to_all();
      counter(*added_).fetch_add(increment_, memory_order::relaxed);
      std::uint32_t seen = 0;
      const auto all_have_come = [&] {
        seen = counter(*watched_).load(memory_order::relaxed);
        return has_reached(seen, target_);
      };
      if (!await(watchdog_, awaited::gpus, all_have_come, [&] {
            return wait_evidence{seen, target_};
          }))
        return false;
      Fences::acquire_from_all();
      target_ += epoch_;
      return true;
    }

    watchdog_ref watchdog_;
    word* watched_;          ///< the counter of its own GPU
    word* added_ = nullptr;  ///< the counter to which this lane adds, if it does
    std::uint32_t target_;
    std::uint32_t epoch_;
    std::uint32_t increment_;
  };

  class ref_type {
   public:
    using participant = every_block_crosses_barrier::participant;

    explicit ref_type(const symmetric_view& gpus) : gpus_(gpus) {}
    __device__ participant join(const watchdog_ref& watchdog) const {
      return participant(gpus_, watchdog);
    }

   private:
    symmetric_view gpus_;
  };

  /// For grids of this shape on each peer. It does not outlive the peers. \throws as gpus_barrier.
  every_block_crosses_barrier(const peers& all, const launch_shape& shape)
      : memory_((checked_for(all, shape), all), 1) {}

  void reset() { memory_.reset(); }
  ref_type ref(unsigned me) const { return ref_type(memory_.view(me)); }

 private:
  symmetric_memory memory_;
};

static_assert(grid_barrier<every_block_crosses_barrier<>::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
