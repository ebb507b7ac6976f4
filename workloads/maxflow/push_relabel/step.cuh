// A single thread's step for a node: it pushes to the lowest neighbour, or raises the node (He and
// Hong, "Dynamically tuned push-relabel algorithm for the maximum flow problem on CPU-GPU-hybrid
// platforms", IPDPS 2010).
#pragma once

#include <workloads/maxflow/network/network.cuh>

#include <cstdint>

namespace finesync::maxflow {

inline constexpr std::uint32_t no_node = 0xffffffffu;

/// The lowest neighbour that can be pushed to.
struct neighbour {
  std::uint32_t node = no_node;
  std::uint32_t height = no_node;
  std::uint32_t slot = 0;
  std::uint32_t residual = 0;
};

__device__ inline neighbour lowest_neighbour(const network_ref& net, std::uint32_t node) {
  neighbour lowest;
  const row ends = net.row_of(node);
  for (std::uint32_t i = ends.first; i < ends.end; ++i) {
    const arc_end to = net.end(i);
    const std::uint32_t residual = net.residual(to.slot);
    const std::uint32_t height = height_of(net.node(to.other));
    if (residual != 0 && height < lowest.height) lowest = {to.other, height, to.slot, residual};
  }
  return lowest;
}

/// The height of a node with this lowest neighbour.
__device__ inline std::uint32_t height_above(const neighbour& lowest, std::uint32_t nodes) {
  return lowest.height < nodes ? lowest.height + 1 : nodes;
}

__device__ inline std::uint32_t least(std::uint64_t excess, std::uint32_t residual) {
  return excess < residual ? static_cast<std::uint32_t>(excess) : residual;
}

/// Result of a step.
struct stepped {
  std::uint32_t receiver = no_node;  ///< receiver of a push, unless it is the source or the sink
  bool was_idle = false;             ///< the receiver had no excess before
  bool is_active = false;            ///< the node needs another step
};

/// One push or relabelling of a node. No other thread pushes from it or raises it meanwhile, but
/// others may push to it, so every update is a read-modify-write.
__device__ inline stepped step_of(const network_ref& net, std::uint32_t node) {
  stepped done;
  const std::uint64_t seen = net.node(node);
  if (!net.is_active(node, seen)) return done;
  const neighbour lowest = lowest_neighbour(net, node);
  if (height_of(seen) <= lowest.height) {
    const std::uint32_t height = height_above(lowest, net.nodes());
    net.add_to(node, node_word(height - height_of(seen), 0));
    done.is_active = height < net.nodes();
    return done;
  }
  const std::uint32_t amount = least(excess_of(seen), lowest.residual);
  net.push_over(lowest.slot, amount);
  const std::uint64_t receiver = net.add_to(lowest.node, amount);
  done.is_active = excess_of(net.add_to(node, -std::uint64_t{amount})) != amount;
  if (!net.is_terminal(lowest.node)) done.receiver = lowest.node;
  done.was_idle = excess_of(receiver) == 0;
  return done;
}

}  // namespace finesync::maxflow
