// Graphs out of lists of edges.
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

// All take edges between vertices below `vertices`, of weights up to most_weight, and throw
// input_error, which names `name`, where there are more arcs than most_arcs. They take 8 bytes of
// memory per arc beside the graph.

/// Each edge an arc.
graph directed_graph(const std::string& name, std::uint32_t vertices, std::span<const edge> edges);

/// Each edge both ways, but no loops, and of repeated edges the lightest.
graph undirected_graph(const std::string& name, std::uint32_t vertices,
                       std::span<const edge> edges);

/// The arcs of a flow network: each edge both ways, with a weight of 0 back; the weights of
/// repeated arcs are added, which is an input_error beyond most_weight; no loops.
graph capacity_graph(const std::string& name, std::uint32_t vertices, std::span<const edge> edges);

/// Gives each arc the weight `weight_of(one end, other end)`, which many threads call at once.
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
