// What the minimum spanning forest does at one point of a sweep.
#pragma once

#include <string>

namespace finesync::mst {

/// A minimum spanning forest by Boruvka's algorithm (ASPLOS'19 section 4.1, MST): in rounds, every
/// component finds the lightest edge that leaves it, and is joined to what is at its other end.
struct problem {
  std::string input;  ///< of load_graph()
};

/// An experiment verifies that what it found is a forest, that it spans every component of the
/// graph, and that its weight is that of Kruskal's.
struct run_config {
  mst::problem problem;
  /// Edges that are light, for each 100 vertices: they come first, and most of the others never.
  /// all_light: there is one phase for all.
  unsigned light_percent = 70;
  unsigned threads_per_block = 256;  ///< of a version with a thread for each vertex, or of servers
  unsigned blocks_per_sm = 0;        ///< of the former; 0: as many as fit
  unsigned servers_percent = 50;     ///< of the blocks
  unsigned ring = 8192;              ///< requests that a server's ring holds
  unsigned server_rounds = 2;        ///< in which offers go to servers, at least 1
};

inline constexpr unsigned all_light = 0;

}  // namespace finesync::mst
