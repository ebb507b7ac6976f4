// A graph in device memory, ready to be ranked; the same for all versions.
#pragma once

#include "rows.hpp"
#include "run_config.hpp"

#include <finesync/host/buffer.cuh>
#include <inputs/graphs/graph.hpp>
#include <workloads/graph_reference/ranks.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace finesync::pagerank {

class ranked_graph {
 public:
  /// \throws bench::infeasible if steps through the vertices, or through a row, might exceed 32
  /// bits.
  ranked_graph(const inputs::graph& all, numbering order);
  ranked_graph(const ranked_graph&) = delete;
  ranked_graph& operator=(const ranked_graph&) = delete;

  std::uint32_t vertices() const { return sources_.vertices(); }
  std::uint32_t arcs() const { return sources_.arcs(); }
  /// What the host needed to number the vertices; 0 for numbering::given.
  double seconds_of_numbering() const { return seconds_of_numbering_; }
  /// See graph_reference::fault_of_ranks(). \param threads_per_block of the kernel.
  std::optional<std::string> fault_of(const graph_reference::claimed_ranks& claimed,
                                      unsigned threads_per_block) const;
  const graph_ref& ref() const { return ref_; }

 private:
  void make_resident();
  /// The rows in classes, with their places in the sources. Sets the ends of the classes.
  std::vector<rank_row> classified();

  inputs::graph sources_;            ///< for each vertex, those that have an arc to it
  std::vector<std::uint32_t> arcs_;  ///< of each vertex
  double seconds_of_numbering_ = 0;
  buffer<rank_row> rows_;
  buffer<std::uint32_t> resident_sources_;
  graph_ref ref_{};
};

/// The input is an argument of load_graph(), or the name of generated ratings: lefts and rights are
/// then the vertices, and a rating is an arc both ways. The last graph is kept, as most points of a
/// sweep share it. \throws as load_graph(), load_ratings() and ranked_graph() do.
std::shared_ptr<const ranked_graph> ranked_graph_of(const std::string& input, numbering order);

}  // namespace finesync::pagerank
