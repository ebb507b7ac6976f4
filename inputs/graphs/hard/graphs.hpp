// Graphs that are hard for algorithms with parallel steps along edges: long chains, hubs, cliques.
#pragma once

#include <inputs/graphs/build.hpp>

#include <cstdint>
#include <vector>

namespace finesync::inputs {

// All take the number of vertices, 2 or more. Weights are distinct unless they are said to be equal
// or random.

/// A path through the vertices in order; weights rise, fall, or are random from 1 to 100.
std::vector<edge> rising_path(std::uint32_t vertices);
std::vector<edge> falling_path(std::uint32_t vertices);
std::vector<edge> random_path(std::uint32_t vertices, std::uint32_t seed);
/// A path through the vertices in random order; weights rise.
std::vector<edge> shuffled_path(std::uint32_t vertices, std::uint32_t seed);

// Paths whose parts are joined in rounds, the parts of each round by heavier edges.

/// Pairs, joined by an edge of weight 1; the edges between them rise.
std::vector<edge> path_of_pairs(std::uint32_t vertices);
/// The lightest edges join vertices to pairs, the next ones pairs to fours, and so on.
std::vector<edge> path_of_merges(std::uint32_t vertices);
/// The lightest edges rise along chains of 512 vertices, the next ones along chains of 512 such
/// chains, and so on.
std::vector<edge> path_of_chains(std::uint32_t vertices);

/// A path whose weights rise, and at each of its vertices a leaf with a heavier edge.
std::vector<edge> caterpillar(std::uint32_t vertices);
/// The teeth are n paths of n vertices each, and the spine joins one end of each. Weights rise from
/// the tips of the teeth to the spine, and along it.
std::vector<edge> comb(std::uint32_t vertices);
/// An edge from vertex 0 to each other.
std::vector<edge> star(std::uint32_t vertices);
/// n paths of n vertices each start at vertex 0. Weights rise along them.
std::vector<edge> star_of_paths(std::uint32_t vertices);

/// All pairs of vertices; weights are random from 1 to 10,000.
std::vector<edge> clique(std::uint32_t vertices, std::uint32_t seed);
/// Cliques of 8 vertices with equal weights, in a row; the edges between them rise.
std::vector<edge> row_of_cliques(std::uint32_t vertices);
/// path_of_merges() through all vertices but 0, which has a heavier edge to each; these fall.
std::vector<edge> hub_over_merges(std::uint32_t vertices);

}  // namespace finesync::inputs
