// Ours: a node with excess is in exactly one queue, and its excess says so itself. Who raises it
// from nothing puts the node into the queue of his block; who takes the rest of it lets go of the
// node. So there is no flag and no lock; and since a node is its block's until then, a block takes
// many steps from one barrier to the next.
//
// Ordering: what a block did to a node, it has released when it takes the rest of the excess; the
// pusher that finds none acquires. The barrier of its block is between that and the next step.
#pragma once

#include "flow_kernel.cuh"
#include "step.cuh"

#include <cstdint>

namespace finesync::maxflow {

/// Eight lanes of a warp with the arcs of a node.
class team {
 public:
  __device__ team() : mask_(0xffu << (threadIdx.x % 32 / team_lanes * team_lanes)) {}

  __device__ bool is_leader() const { return team_rank() == 0; }
  __device__ void sync() const { __syncwarp(mask_); }

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
  /// What that lane brings.
  __device__ std::uint64_t of(unsigned lane, std::uint64_t value) const {
    return __shfl_sync(mask_, value, static_cast<int>(lane), team_lanes);
  }

 private:
  unsigned mask_;
};

/// What the version consists of; tests have twins in which one of it is wrong.
struct sound_ownership {
  static constexpr unsigned room = queue_room;

  /// Whether a push that found so much excess makes its block the receiver's.
  __device__ static bool is_taken_over(std::uint64_t found) { return found == 0; }
  /// Whether a node is kept that has so much left.
  __device__ static bool is_kept(std::uint64_t left) { return left != 0; }
};

template <class Ownership = sound_ownership>
struct persistent {
  static constexpr unsigned room = Ownership::room;

  __device__ void enlist(std::uint32_t /*node*/, bool /*is_active*/) const {}

  template <class Crew>
  __device__ bool work(Crew& all, std::uint32_t work, unsigned steps, bool& ran_dry) const {
    return work_in_rounds<team_lanes>(all, work, steps, ran_dry, [&](std::uint32_t node) {
      discharge(all.net, all.queue, node);
    });
  }

 private:
  /// Pushes to all lower neighbours at once, as far as the excess goes; and raises the node if some
  /// is left. All lanes of a team call it.
  template <class Queue>
  __device__ static void discharge(const network_ref& net, Queue& queue, std::uint32_t node) {
    const team lanes;
    const std::uint64_t seen = lanes.of(0, net.node(node));
    if (!net.is_active(node, seen)) return;
    const std::uint32_t height = height_of(seen);
    const std::uint64_t excess = excess_of(seen);

    std::uint64_t pushed = 0;
    std::uint32_t lowest_left = nobody;
    const std::uint32_t end = net.first_end(node + 1);
    for (std::uint32_t first = net.first_end(node); first < end; first += team_lanes) {
      std::uint32_t can_take = 0;
      std::uint32_t residual = 0;
      std::uint32_t other_height = nobody;
      arc_end to = {};
      if (first + team_rank() < end) {
        to = net.end(first + team_rank());
        residual = net.residual(to.slot);
        other_height = height_of(net.node(to.other));
        if (other_height < height) can_take = residual;
      }
      const std::uint64_t up_to_me = lanes.sum_up_to(can_take);
      const std::uint64_t before_me = pushed + up_to_me - can_take;
      const std::uint32_t amount = before_me < excess ? least(excess - before_me, can_take) : 0;
      if (amount != 0) push(net, queue, to, amount);
      if (residual != amount && other_height < lowest_left) lowest_left = other_height;
      pushed += lanes.of(team_lanes - 1, up_to_me);
      if (pushed >= excess) break;
    }
    if (pushed > excess) pushed = excess;
    std::uint32_t risen = 0;
    if (pushed != excess) {
      const std::uint32_t least_left = lanes.least_of(lowest_left);
      const std::uint32_t above = least_left < net.nodes() ? least_left + 1 : net.nodes();
      risen = above > height ? above - height : 0;
    }
    lanes.sync();  // the leader's release stands for all
    if (lanes.is_leader()) {
      const std::uint64_t before =
          net.add_to(node, node_word(risen, 0) - pushed, memory_order::release);
      if (Ownership::is_kept(excess_of(before) - pushed) && height + risen < net.nodes())
        queue.push(node);
    }
  }

  template <class Queue>
  __device__ static void push(const network_ref& net, Queue& queue, const arc_end& to,
                              std::uint32_t amount) {
    net.push_over(to.slot, amount);
    const std::uint64_t found = net.add_to(to.other, amount, memory_order::acquire);
    if (Ownership::is_taken_over(excess_of(found)) && !net.is_terminal(to.other))
      queue.push(to.other);
  }
};

}  // namespace finesync::maxflow
