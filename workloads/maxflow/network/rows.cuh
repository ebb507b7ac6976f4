// Data of a queued node: its row of arcs. Its ends are prefetched when it is pushed. Loading and
// keeping them then would save a trip to the L1 cache but take longer: it costs many instructions,
// and each step waits for them.
#pragma once

#include "network.cuh"
#include "team.cuh"

#include <cstdint>

namespace finesync::maxflow {

/// A node taken from the queue, as one of the lanes (team.cuh) sees it that process its arcs.
struct queued_node {
  std::uint32_t node;
  row all;
  arc_end near;  ///< this lane's end among the first ones; meaningless unless has_near()

  template <class Lanes>
  __device__ bool has_near(const Lanes& lanes) const {
    return all.has(lanes.rank());
  }
};
template <class Lanes>
__device__ queued_node hold(const network_ref& net, const Lanes& lanes, std::uint32_t node,
                            const row& all) {
  return {node, all, all.has(lanes.rank()) ? net.end(all.first + lanes.rank()) : arc_end{}};
}

/// Whether a block is faster than a team with the arcs of this row.
__host__ __device__ inline bool is_long(const row& all) {
  return all.has(8 * team_lanes);
}

}  // namespace finesync::maxflow
