// What is known of a node's arcs before its turn comes. Rows and ends never change, so they are
// loaded while other things are on their way, and wait with the node.
#pragma once

#include "network.cuh"
#include "team.cuh"

#include <cstdint>

namespace finesync::maxflow {

/// Of a node's ends those that a team looks at first, all of them in most rows of a mesh; in one
/// lane's registers.
class near_ends {
 public:
  __device__ near_ends(const network_ref& net, const row& all) : all_(all) {
    for (unsigned i = 0; i < team_lanes; ++i)
      if (all.has(i)) ends_[i] = net.end(all.first + i);
  }
  __device__ const row& all() const { return all_; }
  __device__ const arc_end& operator[](unsigned i) const { return ends_[i]; }

 private:
  row all_;
  arc_end ends_[team_lanes] = {};
};

/// A node whose turn has come, as a lane of its team sees it.
struct held_node {
  std::uint32_t node;
  row all;
  arc_end near;  ///< this lane's of the first ones; of no meaning unless all.has(team_rank())

  __device__ bool has_near() const { return all.has(team_rank()); }
};
__device__ inline held_node hold(const network_ref& net, std::uint32_t node) {
  const row all = net.row_of(node);
  return {node, all, all.has(team_rank()) ? net.end(all.first + team_rank()) : arc_end{}};
}

}  // namespace finesync::maxflow
