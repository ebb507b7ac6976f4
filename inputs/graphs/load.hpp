// Graphs and networks by what a user calls them.
#pragma once

#include <inputs/graphs/flow_network.hpp>
#include <inputs/graphs/graph.hpp>
#include <inputs/load_options.hpp>

#include <string>

namespace finesync::inputs {

/// What is generated under this name (generate_graph()), or what is in the file of this name
/// (parse_graph()) or cache. Of a large file a cache is kept, FILE.graph; where there is one
/// already, made of this very file (by its length and time of change) and not damaged, it is read
/// instead, otherwise made anew. What is generated is cached where there is a folder for that. A
/// folder that cannot be written to only costs the cache. The graph is named as generated or as the
/// file, without its folder. Throws input_error, which lists the known names where there is neither
/// a generator nor a file.
graph load_graph(const std::string& name_or_path, const load_options& options = {});

/// The same of networks: generate_network(), parse_network(), FILE.network.
flow_network load_network(const std::string& name_or_path, const load_options& options = {});

}  // namespace finesync::inputs
