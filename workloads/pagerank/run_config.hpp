// Parameters of PageRank at one point of a sweep.
#pragma once

#include <string>

namespace finesync::pagerank {

/// How the vertices are numbered.
enum class numbering {
  given,      ///< as in the input
  by_degree,  ///< those with the most arcs to them first, so that their residuals share cache lines
};

/// Ranks of all vertices (PageRank of the thesis, table 4.3). They are exactly defined in
/// graph_reference/ranks.hpp, whose certificate verifies every run. In a round each vertex pulls
/// its residual from those that have an arc to it; a grid barrier follows. The rounds end when
/// every residual is at most `enough`, where the mean rank is 1 (the maximum norm, as
/// LonestarGPU's).
struct run_config {
  static constexpr float damping = 0.85f;

  std::string input;  ///< argument of ranked_graph_of()
  numbering order = numbering::given;
  unsigned threads_per_block = 1024;
  unsigned blocks_per_sm = 0;  ///< 0: as many as fit
  bool backoff = true;         ///< between polls, for barriers that have one
  float enough = 1e-6f;
};

}  // namespace finesync::pagerank
