// Small inputs of every hard generator, and their right results. Results of the deterministic ones
// follow from the shape: a tree is its own forest, so the weights add up. The others were found by
// NetworkX 3.6.1 from the arcs of the usual seed: minimum_spanning_tree(), maximum_flow_value(),
// and hopcroft_karp_matching() for matchings.
#pragma once

#include <inputs/graphs/generate.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace finesync::inputs {

struct known_value {
  std::string input;
  std::uint64_t value;
};

/// 1 + 2 + ... + last.
constexpr std::uint64_t sum_to(std::uint64_t last) {
  return last * (last + 1) / 2;
}

/// How often the numbers 1 to `last` are divisible by two, all together.
constexpr std::uint64_t halvings_to(std::uint64_t last) {
  return last - static_cast<std::uint64_t>(std::popcount(last));
}

/// Graphs, with the weight of the lightest forest.
inline std::vector<known_value> known_forests() {
  return {{"path/2", 1},
          {"path/300", sum_to(299)},
          {"path-falling/300", sum_to(299)},
          {"path-random/300", 15'216},
          {"path-shuffled/300", sum_to(299)},
          {"path-pairs/300", 150 + sum_to(150) - 1},
          {"path-merges/300", sum_to(299) + 300 * halvings_to(299)},
          {"path-chains/1300", sum_to(1299) + 1300 * 2},
          {"caterpillar/301", sum_to(300)},
          {"comb/289", sum_to(288) + 16 * 289},
          {"comb/300", sum_to(299) + 17 * 300},
          {"star/300", sum_to(299)},
          {"star-paths/300", sum_to(299)},
          {"clique/60", 14'146},
          {"cliques/300", 300 - 38 + sum_to(38) - 1},
          {"hub/300", sum_to(298) + 300 * halvings_to(298) + 32 * 300 + 1}};
}

/// A small graph of each generator: of a scale, a width or a number of vertices.
inline std::vector<std::string> graph_of_each_generator() {
  std::vector<std::string> all;
  for (const std::string& name : known_graphs()) {
    const bool has_scale = name.starts_with("rmat") || name.starts_with("r4");
    all.push_back(name + (has_scale          ? "/5"
                          : name == "grid"   ? "/6"
                          : name == "clique" ? "/72"
                                             : "/36"));
  }
  return all;
}

/// Networks, with the value of the largest flow.
inline std::vector<known_value> known_flows() {
  return {{"genrmf/3x5", 45'870},
          {"genrmf/2x1", 80'000},
          {"ak/1", 6},
          {"ak/20", 44},
          {"matching/40x2", 33},
          {"matching/25x5", 25},
          {"layered/4x30", 23'358},
          {"layered/1x5", 5'823},
          {"power-law/6", 1'852}};
}

}  // namespace finesync::inputs
