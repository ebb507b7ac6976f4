// SPDX-License-Identifier: Apache-2.0
// The grid barrier of CUDA Cooperative Groups (CCG), the vendor's baseline.
//
//|     block 0 ──adds 2^31 - (blocks - 1)──┐
//|     block b ──adds 1──────────────> one counter <── all wait for its sign to flip
//
// Use: if (!participant.wait()) return;  // participant = ref.join(watchdog)
// Participants: all threads of a cooperative grid.
// Scope: device.
// Ordering: block barrier; one thread's release before its addition and acquire after its last
//   poll; block barrier.
// Progress: blocking; every block must be resident, which a cooperative launch guarantees. On a GPU
//   CUDA's wait has no watchdog, and wait() never returns false: if a block does not arrive, the
//   kernel hangs. On the host executor the watchdog ends it.
// Traffic per block: one addition, two fences; all blocks poll the one counter without a pause.
// Reset: see grid_barrier.cuh.
// Source: CUDA's cooperative_groups; the thesis, listing 2.4.
#pragma once

#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/device/arrival_check.cuh"
#include "finesync/device/grid_group.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/launch.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

class cooperative_groups_barrier {
 public:
  class participant {
   public:
    __device__ explicit participant(const grid_group& grid) : grid_(grid) {}
    __device__ bool wait() {
      check_.whole();
      return grid_.sync();
    }

    /// Split-phase form (overlap.cuh). All threads of the block take part, so there is no
    /// overlapped form.
    __device__ arrival_token arrive() {
      const arrival_token mine = check_.arrive();
      before_ = grid_.arrive();
      return mine;
    }
    __device__ bool wait(arrival_token mine) {
      check_.wait(mine);
      return grid_.wait(before_);
    }

   private:
    grid_group grid_;
    std::uint32_t before_ = 0;
    [[no_unique_address]] arrival_check check_;
  };

  class ref_type {
   public:
    using participant = cooperative_groups_barrier::participant;
    static constexpr bool any_dimension = true;  ///< see numbering.cuh

    explicit ref_type(grid_group::state* state) : state_(state) {}
    __device__ participant join(const watchdog_ref& watchdog) const {
      return participant(grid_group(*state_, watchdog));
    }

   private:
    grid_group::state* state_;
  };

  explicit cooperative_groups_barrier(const launch_shape& shape, const stream& on = {})
      : state_((checked(shape), 1), on) {}

  void reset() { state_.reset(); }
  ref_type ref() const { return ref_type(state_.device_data()); }

 private:
  zeroed_states<grid_group::state> state_;
};

static_assert(grid_barrier<cooperative_groups_barrier::ref_type>);

}  // namespace finesync::inline FINESYNC_ABI
