// Combining: the lanes of a warp that want the same lock at the same moment take it once.
//
// Participants: any lanes; those found together with the same lock (lane_group::with_same) form a
//|  group, whose leader acquires for all.     Scope and ordering: the inner lock's; the group is
//|  ordered by __syncwarp on both sides.
// Progress and fairness: the inner lock's, per group; needs independent thread scheduling (Volta).
// Traffic: the inner lock's, divided by the size of the group.
// Reset: zero the state.
#pragma once

#include "finesync/device/warp.cuh"
#include "finesync/locks/exclusive.cuh"

#include <cstdint>

namespace finesync {
inline namespace FINESYNC_ABI {

template <class Inner>
class warp_combining_lock {
 public:
  using inner_lock = Inner;
  using state = typename Inner::state;

  __device__ explicit warp_combining_lock(state& s) : state_(s) {}

  __device__ Inner inner() const { return Inner(state_); }

  /// Equal for lanes that ask for the same lock.
  __device__ std::uint64_t key() const { return reinterpret_cast<std::uintptr_t>(&state_); }

 private:
  state& state_;
};

/// A section may say how a group of lanes does together what each would do alone: `merge(group)` is
/// called by all lanes before the lock is taken, and returns what the leader runs under it. What a
/// lane asks of its group must not depend on the group, as all groups of a warp may ask together;
/// in a group of one it touches no memory. Any other section is run lane by lane under the one
/// acquisition.
template <class Section>
concept mergeable = requires(Section section, lane_group group) {
  section.merge(group);
};

template <other_lanes Others = other_lanes::competing, class Inner, class Section,
          class Observer = no_observer>
__device__ bool run_exclusive(warp_combining_lock<Inner> lock, Section&& section,
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

}  // namespace FINESYNC_ABI
}  // namespace finesync
