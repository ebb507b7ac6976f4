// The discharge of a node by the lanes (team.cuh) that own it. A node with excess is in exactly
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

  /// What can still be pushed there.
  __device__ std::uint32_t residual() const { return residual_of(pair_, to_.slot) - amount_; }
  __device__ std::uint32_t residual_below(std::uint32_t height) const {
    return height_of(word_) < height ? residual() : 0;
  }
  /// The greatest value if nothing can be pushed there.
  __device__ std::uint32_t height_if_open() const {
    return residual() != 0 ? height_of(word_) : no_node;
  }

  /// Pushes the amount, which may be 0. At most once another amount.
  __device__ void give(const network_ref& net, std::uint32_t amount) {
    if (amount == 0) return;
    amount_ = amount;
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

/// The neighbours of a node that its lanes hold at a time, several to a lane.
template <class Lanes>
class held_neighbours {
 public:
  __device__ explicit held_neighbours(const Lanes& lanes) : lanes_(lanes) {}

  /// How many there may be.
  __device__ std::uint32_t count() const { return lanes_.count() * Lanes::ends_of_lane; }

  /// Loads them, from this one of the row on.
  __device__ void load(const network_ref& net, const queued_node& own, std::uint32_t first) {
    each([&](unsigned k, neighbour_of_lane& other) {
      const std::uint32_t mine = first + k * lanes_.count() + lanes_.rank();
      other = !own.all.has(mine)
                  ? neighbour_of_lane()
                  : neighbour_of_lane(
                        net, mine == lanes_.rank() ? own.near : net.end(own.all.first + mine));
    });
  }
  /// Pushes to all that are lower than `height`, `excess` in all. \returns what is left of it.
  __device__ std::uint64_t push_below(const network_ref& net, std::uint32_t height,
                                      std::uint64_t excess) {
    std::uint64_t mine = 0;
    each([&](unsigned, neighbour_of_lane& other) { mine += other.residual_below(height); });
    const std::uint64_t up_to_me = lanes_.sum_up_to(mine);
    std::uint64_t before = up_to_me - mine;
    each([&](unsigned, neighbour_of_lane& other) {
      const std::uint32_t can_take = other.residual_below(height);
      if (before < excess) other.give(net, least(excess - before, can_take));
      before += can_take;
    });
    const std::uint64_t all = lanes_.of(lanes_.count() - 1, up_to_me);
    return all < excess ? excess - all : 0;
  }
  /// The lowest of the caller's that can take more.
  __device__ std::uint32_t lowest_open() {
    std::uint32_t lowest = no_node;
    each([&](unsigned, neighbour_of_lane& other) {
      if (other.height_if_open() < lowest) lowest = other.height_if_open();
    });
    return lowest;
  }
  template <class Ownership, class Take>
  __device__ void take_by(const network_ref& net, bool acquired, Take& take) {
    each([&](unsigned, neighbour_of_lane& other) {
      other.template take_by<Ownership>(net, acquired, take);
    });
  }

 private:
  template <class Visit>
  __device__ void each(Visit visit) {
    for (unsigned k = 0; k < Lanes::ends_of_lane; ++k) visit(k, others_[k]);
  }

  const Lanes& lanes_;
  neighbour_of_lane others_[Lanes::ends_of_lane];
};

/// Pushes to all lower neighbours until no excess is left. If some is left, raises the node. A
/// block that holds all its neighbours pushes again then. All lanes call it.
/// \param take called by any of the lanes with each node that the caller owns from now on, and its
/// row.
/// \returns whether the caller still owns the node and must discharge it again.
template <class Ownership, class Lanes, class Take>
__device__ bool discharge(const network_ref& net, const Lanes& lanes, const queued_node& own,
                          Take take) {
  // All data of the node arrive in one trip, even if it proves to be idle.
  const std::uint64_t word = net.node(own.node);
  held_neighbours<Lanes> others(lanes);
  others.load(net, own, 0);
  const std::uint64_t seen = lanes.of(0, word);
  if (!net.is_active(own.node, seen)) return false;
  std::uint32_t height = height_of(seen);
  const std::uint64_t excess = excess_of(seen);

  std::uint64_t left = excess;
  std::uint32_t lowest_open = no_node;
  for (std::uint32_t first = 0; own.all.has(first) && left != 0; first += others.count()) {
    if (first != 0) {
      others.template take_by<Ownership>(net, false, take);
      others.load(net, own, first);
    }
    left = others.push_below(net, height, left);
    const std::uint32_t lowest = others.lowest_open();
    if (lowest < lowest_open) lowest_open = lowest;
  }
  std::uint32_t rise = 0;  // not yet seen by others
  while (left != 0) {
    const std::uint32_t lowest = lanes.least_of(lowest_open);
    const std::uint32_t above = lowest < net.nodes() ? lowest + 1 : net.nodes();
    if (above > height) {
      rise = above - height;
      height = above;
    }
    if (!Lanes::rises_again || height == net.nodes() || own.all.has(others.count())) break;
    // Before the pushes, which would be pushed back to a node that seems to be low.
    if (lanes.is_leader()) net.add_to(own.node, node_word(rise, 0));
    rise = 0;
    left = others.push_below(net, height, left);
    lowest_open = others.lowest_open();
  }
  const std::uint64_t pushed = excess - left;
  // An owner that gives up the node releases all writes to it. The fence also acquires taken nodes.
  const bool lets_go = left == 0;
  lanes.sync();
  if (lets_go) fence<memory_order::acq_rel, scope::device>();
  std::uint64_t before = 0;
  if (lanes.is_leader()) before = net.add_to(own.node, node_word(rise, 0) - pushed);
  others.template take_by<Ownership>(net, lets_go, take);  // overlaps with the addition
  if (lets_go) left = lanes.of(0, excess_of(before)) - pushed;
  return Ownership::keeps(left) && height < net.nodes();
}

}  // namespace finesync::maxflow
