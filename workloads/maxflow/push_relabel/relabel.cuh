// Global relabelling sets nodes to their exact distances from the root in the residual network, by
// a breadth-first search against the arcs. It ends when all nodes with excess have been found; the
// heights of nodes farther away are not needed. But if an excess is just past the end of the last
// search, its way may lead up, and each search would add one bound to it: then the search goes half
// as far again. If it completes, the nodes that it has not found are cut off for good: no thread
// pushes to such heights, and no later search waits for them.
//
// A level takes few nodes and several trips to memory, and a barrier costs as much as the trips. So
// a block searches many levels between barriers, with the nodes that it finds itself. Another block
// may later find a shorter path to one of them: it lowers the node again and continues from there.
// No block searches past a bound, where all wait at a barrier. Then no node nearer than the bound
// can be lowered any more, and all paths through a node that was too high have ended.
#pragma once

#include <workloads/maxflow/network/network.cuh>
#include <workloads/maxflow/network/rows.cuh>

#include <cstdint>

namespace finesync::maxflow {

/// The index among all threads, and their number.
__device__ inline std::uint32_t thread_of_grid() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ inline std::uint32_t threads_of_grid() {
  return gridDim.x * blockDim.x;
}

/// Levels from one bound to the next.
inline constexpr std::uint32_t levels_per_bound = 16;

/// The rule that lowers a node's height; tests have broken variants. All versions share the search,
/// so it does not affect their comparison.
struct correct_search {
  /// \param seen the node's word, higher than `height`.
  /// \returns the word before: if it was still higher, the caller continues from the node.
  __device__ static std::uint64_t lower(const network_ref& net, std::uint32_t node,
                                        std::uint64_t seen, std::uint32_t height) {
    return net.lower(node, seen, height);
  }
};

/// Result of a search, the same in all threads.
struct searched {
  bool in_time = false;      ///< false if the watchdog ended a wait
  std::uint32_t wanted = 0;  ///< nodes with excess that were not cut off before
  std::uint32_t levels = 0;  ///< all nodes within this distance have their exact distances
};

/// Lowers nodes to their distances from `root`, at least all that are no farther than some node
/// with excess. The others stay at nodes(), or at cut_off() if there is no path. All threads of all
/// blocks call it. It discards the queue's contents and leaves it empty.
/// \param last_levels of the last search from this root; 0: this is the first, no node is cut off.
template <class Search = correct_search, class Queue, class Participant>
__device__ searched search_from(std::uint32_t root, std::uint32_t last_levels,
                                const network_ref& net, Queue& queue, Participant& participant) {
  std::uint32_t mine = 0;
  for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid()) {
    const std::uint64_t seen = net.node(u);
    if (last_levels != 0 && height_of(seen) == net.cut_off()) continue;
    net.set(u, node_word(u == root ? 0 : net.nodes(), excess_of(seen)));
    if (net.has_excess(u, seen)) ++mine;
  }
  if (mine != 0) queue.count(mine);
  if (!queue.turn(participant)) return {};
  const std::uint32_t wanted = queue.counted();
  if (wanted == 0) return {.in_time = true};

  std::uint32_t left = wanted;
  std::uint32_t bound = 1;
  std::uint32_t goal = 0;  // the bound to search to, once all nodes with excess have been found
  const auto look_back_over = [&](const arc_end& end, const std::uint32_t& level) {
    const row next =
        net.row_of(end.other);  // first: a compiler does not move it after the other loads
    const std::uint64_t pair = net.pair(end.slot);
    const std::uint64_t seen = net.node(end.other);
    if (residual_of(pair, end.slot ^ 1) == 0 || height_of(seen) <= level) return;
    if (net.is_terminal(end.other)) return;  // nothing flows through source or sink
    net.prefetch_ends(next, team_lanes);     // overlaps with the lowering of the node
    const std::uint64_t before = Search::lower(net, end.other, seen, level);
    if (height_of(before) <= level) return;
    if (height_of(before) >= net.nodes() && net.has_excess(end.other, before)) queue.count(1);
    if (level == bound)
      queue.postpone(end.other, next);
    else
      queue.push(end.other, next);
  };
  const auto look_back = [&](const auto& lanes, const queued_node& from) {
    // May be lower than when the node was queued.
    const std::uint32_t level = height_of(net.node(from.node)) + 1;
    if (from.has_near(lanes)) look_back_over(from.near, level);
    for (std::uint32_t i = lanes.rank() + lanes.count(); from.all.has(i); i += lanes.count())
      look_back_over(net.end(from.all.first + i), level);
  };
  // The root may have an arc from every row of a mesh, so all threads share its arcs.
  const row of_root = net.row_of(root);
  for (std::uint32_t i = thread_of_grid(); of_root.has(i); i += threads_of_grid())
    look_back_over(net.end(of_root.first + i), bound);
  for (;;) {
    // Blocks keep few nodes. A block with many nodes at a bound would have many at the next, and
    // all blocks would wait for it.
    if (!queue.turn(participant, bound == 1 ? 0 : teams_of_block() / 8)) return {};
    if (queue.total() == 0) break;
    left -= queue.counted();
    // A node that had no room in the last steps may shorten the path to one already found.
    if (left == 0 && goal == 0 && !queue.has_spilled())
      goal =
          last_levels != 0 && bound == last_levels + levels_per_bound ? bound + bound / 2 : bound;
    if (goal != 0 && bound >= goal && !queue.has_spilled()) {
      queue.drop();
      return {true, wanted, bound};
    }
    bound += levels_per_bound;
    if (queue.has_lost()) {
      // The lost nodes are among all nodes found so far.
      for (std::uint32_t u = thread_of_grid() / team_lanes; u < net.nodes();
           u += threads_of_grid() / team_lanes)
        if (height_of(net.node(u)) < bound) look_back(team(), hold(net, team(), u, net.row_of(u)));
    }
    do {
      queue.each_of(net, look_back);
    } while (queue.next_step());
  }
  for (std::uint32_t u = thread_of_grid(); u < net.nodes(); u += threads_of_grid()) {
    const std::uint64_t seen = net.node(u);
    if (height_of(seen) >= net.nodes()) net.set(u, node_word(net.cut_off(), excess_of(seen)));
  }
  return {true, wanted, bound};
}

}  // namespace finesync::maxflow
