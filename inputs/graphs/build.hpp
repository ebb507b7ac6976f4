// Builds graphs from lists of edges.
#pragma once

#include <inputs/graphs/graph.hpp>
#include <inputs/parts.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace finesync::inputs {

struct edge {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t weight;
};

// All take edges between vertices below `vertices`, of weights up to max_weight. They throw
// input_error, which names `name`, if there are more arcs than max_arcs. They take 8 bytes of
// memory per arc in addition to the graph.

/// One arc per edge.
graph directed_graph(const std::string& name, std::uint32_t vertices, std::span<const edge> edges);

/// Each edge in both directions, without loops; of repeated edges the lightest.
graph undirected_graph(const std::string& name, std::uint32_t vertices,
                       std::span<const edge> edges);

/// The arcs of a flow network: each edge in both directions, with a weight of 0 back. Weights of
/// repeated arcs are added; a sum above max_weight is an input_error. No loops.
graph capacity_graph(const std::string& name, std::uint32_t vertices, std::span<const edge> edges);

/// Sets the weight of each arc to `weight_of(one end, other end)`, which many threads call at once.
template <class WeightOf>
void set_weights(graph& of, WeightOf&& weight_of) {
  of.weights.resize(of.arcs());
  parts(of.vertices()).for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u)
      for (std::uint32_t arc = of.first[u]; arc < of.first[u + 1]; ++arc)
        of.weights[arc] = weight_of(static_cast<std::uint32_t>(u), of.targets[arc]);
  });
}

}  // namespace finesync::inputs
