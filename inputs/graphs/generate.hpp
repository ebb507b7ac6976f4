// Generated graphs and networks, by name.
#pragma once

#include <inputs/graphs/flow_network.hpp>
#include <inputs/graphs/graph.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace finesync::inputs {

/// Undirected, without loops and repeated edges. NAME or NAME/SIZE:
///|  rmat, rmat-graph500   scale: 2^SIZE vertices (22), 8 times as many edges drawn; weights 1 to
///|                        2^SIZE and 1 to 100
///|  r4                    scale: 2^SIZE vertices (23), 2 times as many random edges
///|  r4-cycle              scale: a cycle through 2^SIZE vertices (23), 3 times as many random edges
///|  grid                  width: SIZE x SIZE vertices (4900), 70 % of the edges
///|  road                  vertices: SIZE (24,000,000), as a network of roads
///|  path, path-falling, path-random, path-shuffled, path-pairs, path-merges, path-chains,
///|  caterpillar, comb, star, star-paths, cliques, hub
///|                         vertices: SIZE (4,194,304); see hard/graphs.hpp
///|  clique                 vertices: SIZE (3,000)
/// The same for the same seed. Throws input_error for an unknown name or a size out of range.
graph generate_graph(const std::string& name, std::uint32_t seed);

/// NAME or NAME/SIZE:
///|  mesh, washington   ROWSxCOLUMNS (2048x2048): counted_mesh(), washington_mesh()
///|  genrmf             SIDExFRAMES (64x256): frames_network()
///|  ak                 SIZE (4096): ladder_network()
///|  matching           VERTICESxDEGREE (524288x4): matching_network()
///|  layered            WIDTHxLAYERS (16x65536): layered_network()
///|  power-law          SCALE (18): power_law_network()
flow_network generate_network(const std::string& name, std::uint32_t seed);

/// Whether the name is that of a generator, also with an invalid size.
bool names_graph(const std::string& name);
bool names_network(const std::string& name);
/// Whether the network is a mesh, with rows and columns.
bool names_mesh(const std::string& name);

/// The names of all generators.
std::vector<std::string> known_graphs();
std::vector<std::string> known_networks();

}  // namespace finesync::inputs
