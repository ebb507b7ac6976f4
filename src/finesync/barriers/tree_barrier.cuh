// SPDX-License-Identifier: Apache-2.0
// The common part of two-level barriers with the SM as the lower level: memory, fences and waits. A
// Participant defines how blocks synchronize.
//
// join() creates a Participant for each thread. In addition to wait() it offers, for all threads of
// the block together,
//|  bool wait_on_sm()    a barrier of the blocks on the caller's SM; otherwise as wait()
#pragma once

#include "finesync/barriers/grid_barrier.cuh"
#include "finesync/barriers/overlap.cuh"
#include "finesync/barriers/sm_roster.cuh"
#include "finesync/device/atomic_ref.cuh"
#include "finesync/device/await.cuh"
#include "finesync/device/backoff.cuh"
#include "finesync/device/fence.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/host/buffer.cuh"
#include "finesync/host/gpu.cuh"
#include "finesync/host/launch.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace finesync::inline FINESYNC_ABI {

/// The fences of a tree barrier by purpose, as a policy, so that tests can leave one out.
struct tree_fences {
  /// Before a block arrives on its SM: releases its threads' writes.
  __device__ static void release() { fence<memory_order::release, scope::device>(); }
  /// Before a leader passes on what it acquired: the writes of its SM's blocks and of its own
  /// block.
  __device__ static void acquire_release() { fence<memory_order::acq_rel, scope::device>(); }
  /// After a thread has seen the value it waited for.
  __device__ static void acquire() { fence<memory_order::acquire, scope::device>(); }
};

/// One thread runs `phase` for its block, between two block barriers. \returns the result of
/// phase().
template <class Phase>
__device__ bool by_first_thread(Phase phase) {
  __syncthreads();
  bool ok = true;
  if (is_first_of_block()) ok = phase();
  return __syncthreads_or(!ok) == 0;
}

/// Polls a word until it equals `wanted`. No ordering. \param whom for the watchdog's report.
/// \returns false if the watchdog ended the wait.
template <class Backoff>
__device__ bool await_value(cell<std::uint32_t>& at, std::uint32_t wanted,
                            const watchdog_ref& watchdog, awaited whom) {
  const atomic_ref<std::uint32_t, scope::device> word(at);
  const auto is_there = [&] { return word.load(memory_order::relaxed) == wanted; };
  if constexpr (std::is_same_v<Backoff, no_backoff>) {
    return await(watchdog, whom, is_there);
  } else {
    bounded_wait wait(watchdog, whom);
    Backoff backoff;
    while (!is_there()) {
      if (wait.timed_out()) return false;
      backoff.wait(1);
    }
    return true;
  }
}

/// The owner of a barrier's memory, initially all bytes zero: a Participant::root for the leaders
/// of the SMs, and a Participant::level for the blocks of each SM.
template <class Participant>
class tree_barrier {
  using root = typename Participant::root;
  using level = typename Participant::level;

 public:
  class ref_type {
   public:
    using participant = Participant;

    ref_type(root* grid, level* sms, const sm_roster::ref_type& roster)
        : grid_(grid), sms_(sms), roster_(roster) {}

    __device__ Participant join(const watchdog_ref& watchdog) const {
      const sm_place place = roster_.join(watchdog);
      return Participant(*grid_, sms_[place.group], place, watchdog);
    }

   private:
    root* grid_;
    level* sms_;
    sm_roster::ref_type roster_;
  };

  explicit tree_barrier(const launch_shape& shape, const stream& on = {})
      : grid_(1, on), sms_(max_groups(checked(shape), on), on), roster_(shape.blocks, on) {}

  void reset() {
    grid_.reset();
    sms_.reset();
    roster_.reset();
  }
  ref_type ref() const { return {grid_.device_data(), sms_.device_data(), roster_.ref()}; }

 private:
  static std::size_t max_groups(const launch_shape& shape, const stream& on) {
    const device_guard here(on.device());
    return std::min(shape.blocks, static_cast<unsigned>(current_gpu().sms));
  }

  zeroed_states<root> grid_;
  zeroed_states<level> sms_;
  sm_roster roster_;
};

}  // namespace finesync::inline FINESYNC_ABI
