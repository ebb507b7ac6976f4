// Global relabelling: every node is given its exact distance from the root in the residual network,
// by a breadth-first search against the arcs.
#pragma once

#include "network.cuh"

#include <cstdint>

namespace finesync::maxflow {

/// So many lanes look at the arcs of a node together.
inline constexpr unsigned team_lanes = 8;

/// The caller's place in its team, and the team's in its block.
__device__ inline unsigned team_rank() {
  return threadIdx.x % team_lanes;
}
__device__ inline unsigned team_of_block() {
  return threadIdx.x / team_lanes;
}
__device__ inline unsigned teams_of_block() {
  return blockDim.x / team_lanes;
}

/// The place among all threads, and how many there are.
__device__ inline std::uint32_t thread_of_grid() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ inline std::uint32_t threads_of_grid() {
  return gridDim.x * blockDim.x;
}

/// The ends of a node.
struct row {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};
__device__ inline row row_of(const network_ref& net, std::uint32_t node) {
  return {net.first_end(node), net.first_end(node + 1)};
}

/// Levels stay in the queues of the blocks that found them; every so many are dealt out anew.
inline constexpr std::uint32_t levels_per_deal = 16;

/// Sinks every node to its distance from `root`. All threads of all blocks call it, with nothing in
/// the queue that matters: it is empty behind.
/// \param levels of the search. \returns false where the watchdog ended a wait.
template <class Queue, class Meeting>
__device__ bool search_from(std::uint32_t root, const network_ref& net, Queue& queue,
                            Meeting& meeting, std::uint32_t& levels) {
  for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid())
    net.set(u, node_word(u == root ? 0 : net.nodes(), excess_of(net.node(u))));
  if (!meeting.wait()) return false;

  std::uint32_t level = 1;
  const auto look_back_over = [&](const arc_end& end) {
    const std::uint64_t pair = net.pair(end.slot);
    const std::uint64_t seen = net.node(end.other);
    if (residual_of(pair, end.slot ^ 1) == 0 || height_of(seen) != net.nodes()) return;
    if (net.replace(end.other, seen, node_word(level, excess_of(seen)))) queue.push(end.other);
  };
  // The root may have an arc from every row of a mesh: its arcs are all threads' to look at.
  for (std::uint32_t i = net.first_end(root) + thread_of_grid(); i < net.first_end(root + 1);
       i += threads_of_grid())
    look_back_over(net.end(i));
  for (;;) {
    queue.close(level % levels_per_deal == 1);
    // The first row is on its way while others come.
    const bool has_kept = queue.has_kept(team_of_block());
    const row first = has_kept ? row_of(net, queue.kept(team_of_block())) : row{};
    if (!queue.open(meeting)) return false;
    if (queue.total() == 0) break;
    ++level;
    const auto look_back = [&](const row& ends) {
      for (std::uint32_t i = ends.first + team_rank(); i < ends.end; i += team_lanes)
        look_back_over(net.end(i));
    };
    look_back(first);
    queue.each_of(team_of_block() + (has_kept ? teams_of_block() : 0), teams_of_block(),
                  [&](std::uint32_t v) { look_back(row_of(net, v)); });
  }
  levels = level;
  return true;
}

}  // namespace finesync::maxflow
