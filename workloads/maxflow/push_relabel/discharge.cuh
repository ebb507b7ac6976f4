// The discharge of a node by the team of eight lanes that owns it. A node with excess is in exactly
// one place (a queue, a message). The excess itself marks ownership: the thread that raises it from
// zero owns the node until it has pushed the rest.
//
// Ordering: the owner releases its writes to a node with the push of its last excess. The next
//   owner, which finds no excess, acquires them and passes them on with the node. Mostly one fence
//   does both, between the additions to neighbours and the addition to the node itself. An owner
//   that keeps a node need not release it.
#pragma once

#include "step.cuh"

#include <finesync/device/fence.cuh>
#include <workloads/maxflow/network/network.cuh>
#include <workloads/maxflow/network/rows.cuh>
#include <workloads/maxflow/network/team.cuh>

#include <cstdint>

namespace finesync::maxflow {

/// The rules of ownership; tests have broken variants of them.
struct correct_ownership {
  /// Whether a push that found this excess takes the receiver.
  __device__ static bool takes(std::uint64_t found) { return found == 0; }
  /// Whether a node with this remaining excess is kept.
  __device__ static bool keeps(std::uint64_t left) { return left != 0; }
};

/// A neighbour's data as one lane sees them, and the amount pushed there.
class neighbour_of_lane {
 public:
  neighbour_of_lane() = default;
  __device__ neighbour_of_lane(const network_ref& net, const arc_end& to)
      : to_(to), arcs_(net.row_of(to.other)), pair_(net.pair(to.slot)), word_(net.node(to.other)) {}

  __device__ std::uint32_t residual() const { return residual_of(pair_, to_.slot); }
  /// The greatest value for a neighbour that cannot be pushed to.
  __device__ std::uint32_t height() const { return height_of(word_); }

  /// Pushes the amount, which may be 0.
  __device__ void give(const network_ref& net, std::uint32_t amount) {
    amount_ = amount;
    if (amount == 0) return;
    net.prefetch_ends(arcs_, team_lanes);
    net.push_over(to_.slot, amount);
    found_ = net.add_to(to_.other, amount);
  }
  /// \param acquired whether an acquire fence has followed give().
  template <class Ownership, class Take>
  __device__ void take_by(const network_ref& net, bool acquired, Take& take) const {
    if (amount_ == 0 || !Ownership::takes(excess_of(found_)) || net.is_terminal(to_.other)) return;
    if (!acquired) fence<memory_order::acquire, scope::device>();
    take(to_.other, arcs_);
  }

 private:
  arc_end to_ = {};
  row arcs_;
  std::uint64_t pair_ = 0;
  std::uint64_t word_ = ~std::uint64_t{0};
  std::uint64_t found_ = 0;
  std::uint32_t amount_ = 0;
};

/// Pushes to all lower neighbours at once until no excess is left. If some is left, raises the
/// node. All lanes of a team call it. \param take called by any of the lanes with each node that
/// the caller owns from now on, and its row.
/// \returns whether the caller still owns the node and must discharge it again.
template <class Ownership, class Take>
__device__ bool discharge(const network_ref& net, const queued_node& own, Take take) {
  const team lanes;
  // All data of the node arrive in one trip, even if it proves to be idle.
  const std::uint64_t word = net.node(own.node);
  neighbour_of_lane other;
  if (own.has_near()) other = {net, own.near};
  const std::uint64_t seen = lanes.of(0, word);
  if (!net.is_active(own.node, seen)) return false;
  const std::uint32_t height = height_of(seen);
  const std::uint64_t excess = excess_of(seen);

  std::uint64_t pushed = 0;
  std::uint32_t lowest_left = no_node;
  for (std::uint32_t first = 0; own.all.has(first) && pushed < excess; first += team_lanes) {
    if (first != 0) {
      other.template take_by<Ownership>(net, false, take);
      const std::uint32_t mine = first + team_rank();
      other = own.all.has(mine) ? neighbour_of_lane(net, net.end(own.all.first + mine))
                                : neighbour_of_lane();
    }
    const std::uint32_t can_take = other.height() < height ? other.residual() : 0;
    const std::uint64_t up_to_me = lanes.sum_up_to(can_take);
    const std::uint64_t before_me = pushed + up_to_me - can_take;
    const std::uint32_t amount = before_me < excess ? least(excess - before_me, can_take) : 0;
    other.give(net, amount);
    if (other.residual() != amount && other.height() < lowest_left) lowest_left = other.height();
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
  // An owner that gives up the node releases all writes to it. The fence also acquires taken nodes.
  std::uint64_t left = excess - pushed;
  const bool lets_go = left == 0;
  lanes.sync();
  if (lets_go) fence<memory_order::acq_rel, scope::device>();
  std::uint64_t before = 0;
  if (lanes.is_leader()) before = net.add_to(own.node, node_word(rise, 0) - pushed);
  other.template take_by<Ownership>(net, lets_go, take);  // overlaps with the addition
  if (lets_go) left = lanes.of(0, excess_of(before)) - pushed;
  return Ownership::keeps(left) && height + rise < net.nodes();
}

}  // namespace finesync::maxflow
