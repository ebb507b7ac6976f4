// What the maximum flow does at one point of a sweep.
#pragma once

#include <cstdint>
#include <string>

namespace finesync::maxflow {

/// Maximum flow by push-relabel (ASPLOS'19 section 4.1, MF): a node with excess pushes it to lower
/// neighbours, and is raised where it has none. All excess that can reach the sink does; the rest
/// goes back to the source, so that what is left is a flow.
struct problem {
  std::string input = "mesh";  ///< a mesh, or what else load_network() knows
  unsigned rows = 512;         ///< of "mesh" and "washington"
  unsigned columns = 512;

  friend bool operator==(const problem&, const problem&) = default;
};

/// Of a block, so that no version has too few registers.
inline constexpr unsigned most_threads = 512;

/// An experiment verifies that the flow obeys capacities, is conserved at every node and cannot be
/// augmented; and that no node with excess was ever left out of all queues.
struct run_config {
  maxflow::problem problem;
  unsigned threads_per_block;      ///< whole warps
  unsigned blocks_per_sm;          ///< 0: as many as fit, but of servers
  bool padded_locks = false;       ///< each lock on lines of its own
  unsigned steps_per_barrier = 1;  ///< of a block between two barriers, where rounds have several
  /// Steps from one global relabelling to the next, in percent of the levels that the last one's
  /// search had.
  unsigned relabel_interval = 50;
  unsigned ring = 4096;  ///< messages that a server's ring holds, or four times its nodes
};

}  // namespace finesync::maxflow
