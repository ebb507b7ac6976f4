// A grid barrier that also measures how long blocks are in it, for instrumented runs. It costs two
// clock reads per barrier, so its runs are never the timed ones.
#pragma once

#include <finesync/barriers/overlap.cuh>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/watchdog.cuh>
#include <workloads/applications/level_log.cuh>

#include <cstdint>

namespace finesync::applications {

/// SM cycles, summed over all blocks.
struct watched_cycles {
  cell<std::uint64_t>& in_barrier;  ///< from the arrival until the block goes on
  cell<std::uint64_t>& in_kernel;   ///< from join() to leave()
};

/// \tparam BarrierRef see grid_barrier.cuh
template <class BarrierRef>
struct watched_barrier {
  static constexpr bool any_dimension = in_any_dimension<BarrierRef>;

  class participant {
    using watched = typename BarrierRef::participant;

   public:
    __device__ participant(const watched& inner, const watched_cycles& cycles,
                           const level_log_ref& levels)
        : inner_(inner), cycles_(cycles), levels_(levels), joined_(clock_cycles()) {}

    __device__ bool wait() {
      const std::uint64_t began = clock_cycles();
      const bool ok = inner_.wait();
      in_barrier_ += clock_cycles() - began;
      return ok;
    }
    __device__ arrival_token arrive() requires supports_split_phase<watched> {
      const std::uint64_t began = clock_cycles();
      const arrival_token mine = inner_.arrive();
      in_barrier_ += clock_cycles() - began;
      return mine;
    }
    __device__ bool wait(arrival_token mine) requires supports_split_phase<watched> {
      const std::uint64_t began = clock_cycles();
      const bool ok = inner_.wait(mine);
      in_barrier_ += clock_cycles() - began;
      return ok;
    }

    /// Not timed: the first warp is in the barrier all the time.
    template <class Work>
    __device__ bool wait_overlapped(Work work) requires supports_overlap<watched> {
      return inner_.wait_overlapped(work);
    }

    /// See level_log_ref.
    template <class Entries>
    __device__ void note_level(std::uint32_t level, Entries own_entries) {
      levels_.note(level, own_entries);
    }

    /// By all threads of the block, behind the last barrier.
    __device__ void leave() {
      if (threadIdx.x != 0) return;
      using sum = atomic_ref<std::uint64_t, scope::device>;
      sum(cycles_.in_barrier).fetch_add(in_barrier_, memory_order::relaxed);
      sum(cycles_.in_kernel).fetch_add(clock_cycles() - joined_, memory_order::relaxed);
    }

   private:
    watched inner_;
    watched_cycles cycles_;
    level_log_ref levels_;
    std::uint64_t joined_;
    std::uint64_t in_barrier_ = 0;
  };

  __device__ participant join(const watchdog_ref& watchdog) const {
    return {barrier.join(watchdog), cycles, levels};
  }

  BarrierRef barrier;
  watched_cycles cycles;
  level_log_ref levels = {};
};

/// What a kernel with levels calls at the begin of each. Only a watched one notes it, and asks for
/// the block's entries.
template <class Participant, class Entries>
__device__ void note_level(Participant& participant, std::uint32_t level, Entries own_entries) {
  if constexpr (requires { participant.note_level(level, own_entries); })
    participant.note_level(level, own_entries);
}

/// What every kernel of an application calls at its end.
template <class Participant>
__device__ void leave(Participant& participant) {
  if constexpr (requires { participant.leave(); }) participant.leave();
}

}  // namespace finesync::applications
