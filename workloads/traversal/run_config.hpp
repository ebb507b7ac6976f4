// Parameters of a search at one point of a sweep.
#pragma once

#include <workloads/applications/barrier_form.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace finesync::traversal {

using applications::barrier_form;

/// Distances of all vertices from one (BFS and SSSP of the thesis, table 4.3). Every run is
/// verified by a certificate that needs no second search.
struct run_config {
  std::string input;                    ///< argument of load_graph()
  std::optional<std::uint32_t> source;  ///< by the input's numbers; none: usual_source()
  unsigned threads_per_block = 384;
  unsigned blocks_per_sm = 1;  ///< 0: as many as fit
  bool backoff = true;         ///< between polls, for barriers that have one
  barrier_form form = barrier_form::blocking;
  bool levels = false;  ///< also note the entries and the length of each level, in another run
};

}  // namespace finesync::traversal
