// Small and odd graphs, as files.
#pragma once

#include <gtest/gtest.h>
#include <tests/suite/inputs/scratch_folder.hpp>

#include <array>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace finesync::test {

struct small_graph {
  std::string name;
  std::uint32_t vertices;
  std::vector<std::array<std::uint32_t, 3>> edges = {};  ///< from, to, weight
};

inline small_graph star(std::uint32_t vertices, std::uint32_t weights) {
  small_graph made{"star", vertices};
  for (std::uint32_t i = 1; i < vertices; ++i) made.edges.push_back({0, i, 1 + i % weights});
  return made;
}
inline small_graph path(std::uint32_t vertices, std::uint32_t weights) {
  small_graph made{"path", vertices};
  for (std::uint32_t i = 1; i < vertices; ++i) made.edges.push_back({i - 1, i, 1 + i % weights});
  return made;
}
/// Groups of four vertices with light edges, in a row of heavy edges: after two rounds over the
/// light ones, all groups are finished at once.
inline small_graph groups(std::uint32_t number) {
  small_graph made{"groups", 4 * number};
  for (std::uint32_t i = 0; i < 4 * number; i += 4) {
    made.edges.insert(made.edges.end(), {{i, i + 1, 1}, {i + 2, i + 3, 1}, {i + 1, i + 2, 2}});
    if (i > 0) made.edges.push_back({i - 4, i, 100});
  }
  return made;
}
/// \param weights largest weight; the smallest is 1. \param hubs vertices that get one of three
/// edges.
inline small_graph random_graph(std::uint32_t vertices, std::uint32_t edges, std::uint32_t weights,
                                std::uint32_t hubs = 0) {
  std::mt19937 random(vertices + edges);
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random()) % end; };
  small_graph made{"random", vertices};
  for (std::uint32_t i = 0; i < edges; ++i) {
    const std::uint32_t from = hubs != 0 && i % 3 == 0 ? below(hubs) : below(vertices);
    made.edges.push_back({from, below(vertices), 1 + below(weights)});
  }
  return made;
}

inline std::vector<small_graph> odd_graphs() {
  return {{"one", 1},
          {"apart", 5},
          {"two", 2, {{0, 1, 5}}},
          {"loops", 3, {{0, 0, 1}, {0, 1, 5}, {1, 1, 2}, {2, 2, 1}}},
          {"repeated", 3, {{0, 1, 5}, {0, 1, 5}, {1, 0, 3}, {1, 2, 4}, {1, 2, 4}}},
          {"square", 4, {{0, 1, 7}, {1, 2, 7}, {2, 3, 7}, {3, 0, 7}}},
          star(90, 3),
          path(70, 4),
          random_graph(60, 150, 1),
          random_graph(80, 200, 20),
          random_graph(120, 60, 9)};
}

/// Its file, in DIMACS format; the same for all equal graphs.
inline std::string file_of(const small_graph& graph) {
  static const inputs::scratch_folder folder;
  const std::string file = folder / (graph.name + std::to_string(graph.vertices) + "." +
                                     std::to_string(graph.edges.size()) + ".gr");
  std::ofstream text(file);
  text << "p sp " << graph.vertices << " " << graph.edges.size() << "\n";
  for (const auto& [from, to, weight] : graph.edges)
    text << "a " << from + 1 << " " << to + 1 << " " << weight << "\n";
  return file;
}

}  // namespace finesync::test
