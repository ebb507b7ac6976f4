// Small networks: meshes, odd ones, and ones of random arcs, as files in the format of DIMACS.
#pragma once

#include <inputs/graphs/generate.hpp>
#include <workloads/maxflow/run_config.hpp>

#include <tests/suite/inputs/scratch_folder.hpp>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::maxflow {

inline run_config small(const problem& what) {
  return {.problem = what,
          .threads_per_block = 32,
          .blocks_per_sm = 1,
          .steps_per_barrier = 3,
          .relabel_interval = 50};
}

/// The same for a version that needs two warps in a block: a leader and a follower.
inline run_config for_version(std::string_view name, run_config config) {
  if (name == "server_flow_printed" && config.threads_per_block == 32)
    config.threads_per_block = 64;
  return config;
}

inline run_config mesh(unsigned rows, unsigned columns) {
  return small({.rows = rows, .columns = columns});
}

/// A file of that name with these arcs. The source is node 1, the sink the last node.
inline run_config network_of_arcs(const std::string& name, unsigned nodes,
                                  const std::vector<std::string>& arcs) {
  static const inputs::scratch_folder folder;
  const std::string file = folder / (name + ".max");
  if (!std::filesystem::exists(file)) {
    std::string text = "p max " + std::to_string(nodes) + " " + std::to_string(arcs.size()) +
                       "\nn 1 s\nn " + std::to_string(nodes) + " t\n";
    for (const std::string& arc : arcs) text += "a " + arc + "\n";
    inputs::write_text(file, text);
  }
  return small({.input = file});
}

inline std::string arc(unsigned tail, unsigned head, unsigned capacity) {
  return std::to_string(tail) + " " + std::to_string(head) + " " + std::to_string(capacity);
}

inline run_config network_of_graph(const std::string& generated) {
  const inputs::graph of = inputs::generate_graph(generated, 1);
  std::vector<std::string> arcs;
  for (unsigned tail = 0; tail < of.vertices(); ++tail)
    for (std::uint32_t a = of.first[tail]; a < of.first[tail + 1]; ++a)
      arcs.push_back(arc(1 + tail, 1 + of.targets[a], of.weights[a]));
  return network_of_arcs(generated.substr(0, generated.find('/')), of.vertices(), arcs);
}

/// Two nodes with this many arcs between the terminals.
inline run_config wide_network(unsigned width) {
  std::vector<std::string> arcs{arc(1, 2, 5 * width), arc(3, 4 + width, 5 * width)};
  for (unsigned k = 4; k < 4 + width; ++k) {
    arcs.push_back(arc(2, k, 3 + k % 4));
    arcs.push_back(arc(k, 3, 2 + k % 5));
  }
  return network_of_arcs("wide" + std::to_string(width), 4 + width, arcs);
}

/// Each node has an arc to each other one.
inline run_config complete_network(unsigned nodes) {
  std::vector<std::string> arcs;
  for (unsigned tail = 1; tail <= nodes; ++tail)
    for (unsigned head = 1; head <= nodes; ++head)
      if (tail != head) arcs.push_back(arc(tail, head, 1));
  return network_of_arcs("complete" + std::to_string(nodes), nodes, arcs);
}

inline run_config long_path(unsigned nodes) {
  std::vector<std::string> arcs;
  for (unsigned u = 1; u < nodes; ++u) arcs.push_back(arc(u, u + 1, 5 + u % 3));
  return network_of_arcs("path" + std::to_string(nodes), nodes, arcs);
}

inline run_config random_network(unsigned seed) {
  std::mt19937 random(seed);
  const auto nodes = static_cast<unsigned>(5 + random() % 25);
  std::vector<std::string> arcs;
  const auto number = static_cast<unsigned>(nodes + random() % (3 * nodes));
  for (unsigned i = 0; i < number; ++i) {
    const auto tail = static_cast<unsigned>(random() % nodes);
    const auto head = static_cast<unsigned>(random() % nodes);
    arcs.push_back(arc(1 + tail, 1 + head, static_cast<unsigned>(random() % 20)));
  }
  return network_of_arcs("random" + std::to_string(seed), nodes, arcs);
}

/// Each has a property that no mesh has.
inline std::vector<run_config> odd_networks() {
  return {
      network_of_arcs("next", 2, {"1 2 7"}),
      network_of_arcs("both_ways", 2, {"1 2 7", "2 1 9"}),
      network_of_arcs("no_arc", 2, {"2 1 3"}),
      network_of_arcs("no_path", 5, {"1 2 7", "2 3 4", "4 5 6", "4 3 2"}),
      network_of_arcs("parallel", 3, {"1 2 3", "1 2 4", "2 3 5", "2 3 1", "2 3 0"}),
      network_of_arcs("nothing_fits", 4, {"1 2 0", "2 3 5", "3 4 0", "1 3 0"}),
      network_of_arcs("dead_end", 5, {"1 2 9", "2 3 9", "3 4 6", "4 2 3", "2 5 1"}),
      network_of_arcs("two_ways", 5,
                      {"1 2 9", "2 3 4", "3 2 4", "3 4 8", "4 3 2", "2 4 1", "4 5 7", "5 4 7"}),
      network_of_arcs("loops", 4, {"1 1 9", "1 2 9", "2 2 5", "2 3 8", "3 3 1", "3 4 7", "4 4 2"}),
      network_of_arcs("into_the_source", 4, {"1 2 9", "2 1 4", "2 3 5", "3 1 6", "3 4 2", "4 2 3"}),
      network_of_arcs("most", 3, {"1 2 2147483647", "2 3 2147483646"}),
      network_of_arcs("fan", 5, {"1 2 5", "2 3 4", "2 4 4", "3 5 9", "4 5 9"}),
      long_path(40),
      wide_network(20),  // more arcs than a team has lanes
      wide_network(70),  // enough arcs for a whole block
  };
}

}  // namespace finesync::maxflow
