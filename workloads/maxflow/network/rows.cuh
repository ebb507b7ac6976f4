// Data of a queued node: its row of arcs. Its ends are prefetched when it is pushed. Loading and
// keeping them then would save a trip to the L1 cache but take longer: it costs many instructions,
// and each step waits for them.
#pragma once

#include "network.cuh"
#include "team.cuh"

#include <cstdint>

namespace finesync::maxflow {

/// A node taken from the queue, as a lane of its team sees it.
struct queued_node {
  std::uint32_t node;
  row all;
  arc_end near;  ///< this lane's end among the first ones; meaningless unless all.has(team_rank())

  __device__ bool has_near() const { return all.has(team_rank()); }
};
__device__ inline queued_node hold(const network_ref& net, std::uint32_t node, const row& all) {
  return {node, all, all.has(team_rank()) ? net.end(all.first + team_rank()) : arc_end{}};
}

}  // namespace finesync::maxflow
