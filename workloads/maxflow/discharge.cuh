// What eight lanes do for a node that is theirs. A node with excess is in exactly one place (a
// queue, a message), and its excess says so itself: who raises it from nothing owns the node, until
// he has pushed the rest of it.
//
// Ordering: what was done to a node is released with the rest of its excess; the pusher who finds
//   none acquires it, and passes it on with the node.
#pragma once

#include "network.cuh"
#include "rows.cuh"
#include "step.cuh"

#include <cstdint>

namespace finesync::maxflow {

/// The lanes of a team, as a group.
class team {
 public:
  __device__ team() : mask_(0xffu << (threadIdx.x % 32 / team_lanes * team_lanes)) {}

  __device__ bool is_leader() const { return team_rank() == 0; }
  __device__ void sync() const { __syncwarp(mask_); }

  /// Which of them bring true, the lowest bit for the first lane.
  __device__ unsigned ballot(bool vote) const {
    return __ballot_sync(mask_, vote) >> (threadIdx.x % 32 / team_lanes * team_lanes) & 0xffu;
  }
  /// What that lane brings.
  template <class T>
  __device__ T of(unsigned lane, T value) const {
    return __shfl_sync(mask_, value, static_cast<int>(lane), team_lanes);
  }
  __device__ std::uint32_t least_of(std::uint32_t value) const {
    for (unsigned step = 1; step < team_lanes; step *= 2) {
      const std::uint32_t other = __shfl_xor_sync(mask_, value, static_cast<int>(step));
      value = other < value ? other : value;
    }
    return value;
  }
  /// The sum of the values of this lane and all below it.
  __device__ std::uint64_t sum_up_to(std::uint64_t value) const {
    for (unsigned step = 1; step < team_lanes; step *= 2) {
      const std::uint64_t below = __shfl_up_sync(mask_, value, step, team_lanes);
      if (team_rank() >= step) value += below;
    }
    return value;
  }

 private:
  unsigned mask_;
};

/// What ownership consists of; tests have twins in which one of it is wrong.
struct sound_ownership {
  /// Whether a push that found so much excess takes the receiver.
  __device__ static bool takes(std::uint64_t found) { return found == 0; }
  /// Whether a node is kept that has so much left.
  __device__ static bool keeps(std::uint64_t left) { return left != 0; }
};

/// Pushes to all lower neighbours at once, as far as the excess goes; and raises the node if some
/// is left. All lanes of a team call it.
/// \param take called with each node that is the caller's from now on, by any of the lanes.
/// \returns in the leader, whether the node is still the caller's and is to be discharged again.
template <class Ownership, class Take>
__device__ bool discharge(const network_ref& net, std::uint32_t node, Take take) {
  const team lanes;
  const std::uint64_t seen = lanes.of(0, net.node(node));
  if (!net.is_active(node, seen)) return false;
  const std::uint32_t height = height_of(seen);
  const std::uint64_t excess = excess_of(seen);

  std::uint64_t pushed = 0;
  std::uint32_t lowest_left = nobody;
  const row ends = net.row_of(node);
  const std::uint32_t end = ends.end;
  for (std::uint32_t first = ends.first; first < end && pushed < excess; first += team_lanes) {
    arc_end to = {};
    std::uint32_t residual = 0;
    std::uint32_t other_height = nobody;
    if (first + team_rank() < end) {
      to = net.end(first + team_rank());
      residual = net.residual(to.slot);
      other_height = height_of(net.node(to.other));
    }
    const std::uint32_t can_take = other_height < height ? residual : 0;
    const std::uint64_t up_to_me = lanes.sum_up_to(can_take);
    const std::uint64_t before_me = pushed + up_to_me - can_take;
    const std::uint32_t amount = before_me < excess ? least(excess - before_me, can_take) : 0;
    if (amount != 0) {
      net.push_over(to.slot, amount);
      const std::uint64_t found = net.add_to(to.other, amount, memory_order::acquire);
      if (Ownership::takes(excess_of(found)) && !net.is_terminal(to.other)) take(to.other);
    }
    if (residual != amount && other_height < lowest_left) lowest_left = other_height;
    pushed += lanes.of(team_lanes - 1, up_to_me);
  }
  std::uint32_t rise = 0;
  if (pushed < excess) {
    const std::uint32_t least_left = lanes.least_of(lowest_left);
    const std::uint32_t above = least_left < net.nodes() ? least_left + 1 : net.nodes();
    if (above > height) rise = above - height;
  } else {
    pushed = excess;
  }
  lanes.sync();  // the leader's release stands for all
  if (!lanes.is_leader()) return false;
  const std::uint64_t before = net.add_to(node, node_word(rise, 0) - pushed, memory_order::release);
  return Ownership::keeps(excess_of(before) - pushed) && height + rise < net.nodes();
}

}  // namespace finesync::maxflow
