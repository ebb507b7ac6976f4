// Parameters of the maximum flow at one point of a sweep.
#pragma once

#include <cstdint>
#include <string>

namespace finesync::maxflow {

/// Maximum flow by push-relabel (ASPLOS'19 section 4.1, MF). A node with excess pushes it to lower
/// neighbours, and is raised if it has none. All excess that can reach the sink does; the rest
/// returns to the source, so a flow remains.
struct problem {
  std::string input = "mesh";  ///< a mesh, or another argument of load_network()
  unsigned rows = 512;         ///< of "mesh" and "washington" without a size
  unsigned columns = 512;

  friend bool operator==(const problem&, const problem&) = default;
};

/// Threads of a block; the limit leaves every version enough registers.
inline constexpr unsigned max_threads = 512;

/// The experiment verifies that the flow obeys capacities, is conserved at every node and cannot be
/// augmented. It also verifies that no node with excess was missing from all queues.
struct run_config {
  maxflow::problem problem;
  unsigned threads_per_block;  ///< whole warps
  unsigned blocks_per_sm;      ///< 0: as many as fit, except for servers
  bool padded_locks = false;   ///< each lock on its own cache lines
  /// Steps of a block, or looks of a thread at its nodes, in versions with several.
  unsigned steps_per_barrier = 1;
  /// Steps between two global relabellings, in percent of the levels of the last search.
  unsigned relabel_interval = 50;
  unsigned ring = 4096;  ///< messages that a server's ring holds; more if its nodes need it
  std::uint32_t section_work = 0;  ///< arithmetic in each section, in units of about 1,000 cycles
};

}  // namespace finesync::maxflow
