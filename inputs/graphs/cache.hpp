// Cache files of graphs and networks.
#pragma once

#include <inputs/cache_file.hpp>
#include <inputs/graphs/flow_network.hpp>
#include <inputs/graphs/graph.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace finesync::inputs {

extern const cache_kind graph_cache;
extern const cache_kind network_cache;

/// See write_cache_file().
void write_cache(const graph& of, const source_stamp& source, const std::filesystem::path& cache);
void write_cache(const flow_network& of, const source_stamp& source,
                 const std::filesystem::path& cache);

/// The contents of a cache; see cache_reader.
cached<graph> parse_graph_cache(std::string_view bytes, const std::string& file);
cached<flow_network> parse_network_cache(std::string_view bytes, const std::string& file);

}  // namespace finesync::inputs
