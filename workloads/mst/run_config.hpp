// Parameters of the minimum spanning forest at one point of a sweep.
#pragma once

#include <cstdint>
#include <string>

namespace finesync::mst {

/// A minimum spanning forest by Boruvka's algorithm (ASPLOS'19 section 4.1, MST). In each round
/// every component finds the lightest edge that leaves it and joins the component at the other end.
struct problem {
  std::string input;  ///< argument of load_graph()
};

/// The experiment verifies that the result is a forest that spans every component of the graph, and
/// that its weight equals that of Kruskal's forest.
struct run_config {
  mst::problem problem;
  /// Light edges per 100 vertices. They come first; most other edges are never processed.
  /// all_light: one phase for all edges.
  unsigned light_percent = 70;
  unsigned threads_per_block = 256;  ///< of versions with a thread per vertex, or of servers
  unsigned blocks_per_sm = 0;        ///< of versions with a thread per vertex; 0: as many as fit
  unsigned servers_percent = 50;     ///< share of the blocks
  unsigned ring = 8192;              ///< requests that a server's ring holds
  unsigned server_rounds = 2;        ///< rounds that send proposals to servers, at least 1
  std::uint32_t section_work = 0;    ///< arithmetic in each section, in units of about 1,000 cycles
};

inline constexpr unsigned all_light = 0;

}  // namespace finesync::mst
