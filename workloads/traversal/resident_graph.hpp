// A graph in device memory, the same for all versions.
#pragma once

#include <finesync/host/buffer.cuh>
#include <inputs/graphs/graph.hpp>
#include <workloads/traversal/graph_ref.cuh>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace finesync::traversal {

class resident_graph {
 public:
  /// \param weighted whether arcs have their weights as lengths, or 1.
  resident_graph(inputs::graph all, bool weighted);
  resident_graph(const resident_graph&) = delete;
  resident_graph& operator=(const resident_graph&) = delete;

  std::uint32_t vertices() const { return host_.vertices(); }
  std::uint32_t arcs() const { return host_.arcs(); }
  std::uint32_t usual_source() const { return usual_source_; }
  /// The vertex to start from. \param number in the input; none: the usual one.
  /// \throws bench::infeasible if there is no such vertex, or distances from it may exceed 32 bits.
  std::uint32_t source_of(std::optional<std::uint32_t> number) const;
  /// Its number in the input.
  std::uint32_t number_of(std::uint32_t vertex) const { return host_.first_number + vertex; }
  /// Of the arcs; 1 unless weighted.
  std::uint32_t mean_weight() const { return mean_weight_; }
  /// What a search has reached.
  struct extent {
    std::uint32_t vertices = 0;
    std::uint32_t arcs = 0;    ///< of these vertices
    std::uint32_t rounds = 0;  ///< that it needed at least: a round follows one arc of a path
  };
  extent reached(std::span<const std::uint32_t> distances) const;
  /// See graph_reference::fault_of_distances().
  std::optional<std::string> fault_of(std::uint32_t source,
                                      std::span<const std::uint32_t> distances) const;
  graph_ref ref() const {
    return {vertices(), rows_.raw_pointer(), targets_.raw_pointer(), weights_.raw_pointer()};
  }
  /// Each arc turned round, without weights. The rows of a graph that is known to be undirected are
  /// its own; those of another one are made at the first call.
  graph_ref incoming() const;

 private:
  struct turned_rows {
    explicit turned_rows(const inputs::graph& turned);
    buffer<std::uint32_t> rows;
    buffer<std::uint32_t> targets;
  };

  inputs::graph host_;
  bool weighted_;
  std::uint32_t usual_source_;
  std::uint32_t mean_weight_ = 1;
  std::uint32_t heaviest_ = 1;
  buffer<std::uint32_t> rows_;
  buffer<std::uint32_t> targets_;
  buffer<std::uint32_t> weights_;  ///< empty unless weighted
  mutable std::optional<turned_rows> turned_;
  mutable std::optional<std::uint32_t> expected_source_;  ///< the last one without a problem
};

/// The last graph is kept, as most points of a sweep share it. \throws as load_graph() and
/// resident_graph() do.
std::shared_ptr<const resident_graph> graph_of(const std::string& input, bool weighted);

}  // namespace finesync::traversal
