// SPDX-License-Identifier: Apache-2.0
// Combining: lanes of a warp that want the same lock at the same moment acquire it once.
//
// Use: run_exclusive(warp_combining_lock<scope::device>(state), section, watchdog)
// Participants: any lanes. Lanes found together with the same lock (lane_group::with_same) form a
//   group; its leader acquires for all of them.
// Scope: that of the inner lock.
// Ordering: that of the inner lock; __syncwarp orders the group before and after it.
// Progress: that of the inner lock, per group; needs independent thread scheduling (Volta).
// Fairness: that of the inner lock, per group.
// Traffic: that of the inner lock, divided by the size of the group.
// Reset: zero the state.
#pragma once

#include "finesync/device/warp.cuh"
#include "finesync/locks/exclusive.cuh"
#include "finesync/locks/tas_lock.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <class Inner>
class warp_combined {
 public:
  using inner_lock = Inner;
  using state = typename Inner::state;

  __device__ explicit warp_combined(state& s) : state_(s) {}

  __device__ Inner inner() const { return Inner(state_); }

  /// Equal for lanes that want the same lock.
  __device__ std::uint64_t key() const { return reinterpret_cast<std::uintptr_t>(&state_); }

 private:
  state& state_;
};

/// The form that programs run.
template <scope Scope>
using warp_combining_lock = warp_combined<tas_backoff_lock<Scope>>;

/// A section that a group of lanes can combine into one. Before the lock is acquired, all lanes
/// call `merge(group)`; it returns the section that the leader runs under the lock. The collective
/// operations of a lane in merge() must not depend on the group, because all groups of a warp may
/// call it together. In a group of one lane, merge() must not access memory. Any other section runs
/// lane by lane under the one acquisition.
template <class Section>
concept mergeable = requires(Section section, lane_group group) {
  section.merge(group);
};

template <other_lanes Others = other_lanes::competing, class Inner, class Section,
          class Observer = no_observer>
__device__ bool run_exclusive(warp_combined<Inner> lock, Section&& section,
                              const watchdog_ref& watchdog, Observer&& observer = {}) {
  const lane_group in_convoy = lane_group::with_same(lock.key());
  const lane_group group = in_convoy.detached();
  int entered = 1;
  if constexpr (mergeable<Section>) {
    auto merged = section.merge(in_convoy);
    in_convoy.sync();
    if (group.is_leader())
      entered = run_exclusive<Others>(lock.inner(), merged, watchdog, observer);
  } else {
    typename Inner::acquisition acquisition = {};
    if (group.is_leader()) {
      acquisition = lock.inner().enqueue();
      entered = enter_exclusive<Others>(lock.inner(), acquisition, watchdog, observer);
      if (entered != 0) observer.entered();
    }
    entered = group.get(entered, group.leader());
    group.sync();
    for (int turn = group.leader(), left = group.size(); entered != 0 && left > 0; --left) {
      if (static_cast<int>(lane_id()) == turn) section();
      group.sync();
      turn = group.get(group.next(), turn);
    }
    if (entered != 0 && group.is_leader()) {
      observer.leaving();
      entered = leave_exclusive(lock.inner(), acquisition, watchdog);
    }
  }
  group.sync();
  return group.get(entered, group.leader()) != 0;
}

}  // namespace finesync::inline FINESYNC_ABI
