// What is known of a node's arcs before its turn comes: their row, which waits with the node. The
// ends are prefetched when it is pushed. To load them then, and to keep them too, would save a trip
// to the SM's own cache, and take longer: those are many instructions, and each step waits for
// them.
#pragma once

#include "network.cuh"
#include "team.cuh"

#include <cstdint>

namespace finesync::maxflow {

/// A node whose turn has come, as a lane of its team sees it.
struct queued_node {
  std::uint32_t node;
  row all;
  arc_end near;  ///< this lane's of the first ones; of no meaning unless all.has(team_rank())

  __device__ bool has_near() const { return all.has(team_rank()); }
};
__device__ inline queued_node hold(const network_ref& net, std::uint32_t node, const row& all) {
  return {node, all, all.has(team_rank()) ? net.end(all.first + team_rank()) : arc_end{}};
}

}  // namespace finesync::maxflow
