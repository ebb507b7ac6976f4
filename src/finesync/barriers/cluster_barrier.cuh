// SPDX-License-Identifier: Apache-2.0
// A barrier of two levels with the lower one in hardware. The blocks of a cluster synchronize in
// the cluster's own barrier. Then one of them adds to a counter in the L2 for the whole cluster,
// and every block polls that counter. The counter has replicas on each side of the L2, so that
// polls do not queue.
//
//|     block ─┐
//|     block ─┼─ cluster barrier ─ rank 0 ──adds──> replicas on side 0 <──poll── blocks near it
//|     block ─┘                       └─────adds──> replicas on side 1 <──poll── blocks near it
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid; launch_shape::cluster_blocks gives the blocks
//   per cluster. With clusters of one block the barrier has one level.
// Scope: device.
// Ordering: block barrier; release fence of cluster scope by one thread of each block; relaxed
//   cluster barrier; release fence of device scope by each lane that adds, which passes on the
//   cluster's writes; relaxed additions and polls; acquire fence by the thread that polled; block
//   barrier.
// Progress: blocking; every block must be resident, which a cooperative launch guarantees. The
//   watchdog bounds the wait at the counter; the cluster barrier waits for all threads of the
//   cluster that have not exited.
// Traffic: per cluster one addition per replica; per block one load per poll, of a near replica.
// Reset: see grid_barrier.cuh.
// Source: ours; the tree is that of the thesis, section 3.1.
#pragma once

#include "finesync/barriers/counter_plan.cuh"
#include "finesync/barriers/epoch_counter.cuh"
#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/await.cuh"
#include "finesync/device/cluster.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/l2_lines.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/ptx/sleep.cuh"
#include "finesync/device/wrap_around.cuh"
#include "finesync/host/l2_lines.cuh"
#include "finesync/host/launch.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

class cluster_barrier {
  using word = cell<std::uint32_t>;
  using counter = atomic_ref<std::uint32_t, scope::device>;

 public:
  class participant {
   public:
    __device__ bool wait() {
      __syncthreads();
      if (is_first_of_block()) fence<memory_order::release, scope::cluster>();
      cluster_sync<memory_order::relaxed>();
      if (own_ != nullptr) {
        fence<memory_order::release, scope::device>();
        counter(*own_).fetch_add(increment_, memory_order::relaxed);
      }
      bool gave_up = false;
      if (is_first_of_block()) {
        pause_cycles(first_poll_);
        const auto all_have_come = [&] {
          return has_reached(counter(*watched_).load(memory_order::relaxed), target_);
        };
        gave_up = !await(watchdog_, awaited::blocks, all_have_come);
        fence<memory_order::acquire, scope::device>();
        target_ += epoch_;
      }
      return __syncthreads_or(gave_up) == 0;
    }

   private:
    friend class cluster_barrier;

    __device__ explicit participant(const watchdog_ref& watchdog) : watchdog_(watchdog) {}

    watchdog_ref watchdog_;
    word* own_ = nullptr;      ///< replica to which this lane of an arriving block adds
    word* watched_ = nullptr;  ///< replica that the block polls
    std::uint32_t increment_ = 1;
    std::uint32_t epoch_ = 1;
    std::uint32_t target_ = 0;
    unsigned first_poll_ = 0;
  };

  class ref_type {
   public:
    using participant = cluster_barrier::participant;

    ref_type(const counter_plan& plan, const l2_lines_ref& lines) : plan_(plan), lines_(lines) {}

    __device__ participant join(const watchdog_ref& watchdog) const {
      participant p(watchdog);
      const epoch_counter arrivals(grid_blocks() / cluster_blocks());
      p.increment_ = arrivals.increment(cluster_index() == 0);
      p.epoch_ = arrivals.epoch();
      p.first_poll_ = plan_.first_poll;
      const unsigned lane = thread_rank();
      if (cluster_rank() == 0 && lane < plan_.sides * plan_.replicas) {
        p.own_ = &lines_.line(lane / plan_.replicas, lane % plan_.replicas);
      }
      if (lane == 0) {
        const unsigned side = plan_.sides == 1 ? 0 : lines_.side();
        p.watched_ = &lines_.line(side, block_rank() % plan_.replicas);
        // No epoch completes before the block's own cluster arrives, and that needs this block.
        p.target_ = arrivals.target(counter(*p.watched_).load(memory_order::relaxed));
      }
      return p;
    }

   private:
    counter_plan plan_;
    l2_lines_ref lines_;
  };

  /// \param plan only its replicas, sides and first_poll are used.
  explicit cluster_barrier(const launch_shape& shape,
                           const counter_plan& plan = {.replicas = 4, .first_poll = 250},
                           const stream& on = {})
      : plan_(plan.cut_to(checked(shape).threads_per_block)), lines_(plan_.replicas, on) {}

  void reset() { lines_.reset(); }
  ref_type ref() const { return {plan_, lines_.ref()}; }

 private:
  counter_plan plan_;
  l2_lines lines_;
};

static_assert(grid_barrier<cluster_barrier::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
