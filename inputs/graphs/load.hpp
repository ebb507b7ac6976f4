// Loads graphs and networks by name.
#pragma once

#include <inputs/graphs/flow_network.hpp>
#include <inputs/graphs/graph.hpp>
#include <inputs/load_options.hpp>

#include <string>

namespace finesync::inputs {

/// The generated graph of this name (generate_graph()), or the contents of the file of this name
/// (parse_graph() or a cache). For a large file a cache is kept, FILE.finesync-graph. It is used if
/// it is undamaged and was made from this file (same length and time of change), else made again.
/// Generated graphs are cached if a cache folder is given. If the folder is not writable, or the
/// name is another file's, there is only no cache. The graph has the name of the generator or of
/// the file without its folder. Throws input_error, which lists the known names, if there is
/// neither a generator nor a file.
graph load_graph(const std::string& name_or_path, const load_options& options = {});

/// The same for networks: generate_network(), parse_network(), FILE.finesync-network.
flow_network load_network(const std::string& name_or_path, const load_options& options = {});

}  // namespace finesync::inputs
