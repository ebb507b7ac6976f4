// Readers of the formats that graphs come in. `file` is what errors call the bytes. Whatever is
// wrong is an input_error, of the line it is in where there are lines: numbers that are none or out
// of range, fewer or more arcs than announced, a file cut short. Lines end in LF or CRLF, also the
// last one. Nothing is allocated by an announced number that the length of the file does not bear
// out. Where edges have no weights they get one by weights.cuh, always the same.
#pragma once

#include <inputs/graphs/flow_network.hpp>
#include <inputs/graphs/graph.hpp>

#include <string>
#include <string_view>

namespace finesync::inputs {

/// Whichever of the formats of graphs below it is in, told by how it begins. What is in none of
/// them is an input_error, which names what it looks like.
graph parse_graph(std::string_view bytes, const std::string& file);

/// DIMACS' `.gr` of the 9th challenge: `c` comments, `p sp VERTICES ARCS`, lines `a FROM TO
/// WEIGHT`, ids from 1. Every line is an arc; loops and repeated arcs stay.
graph parse_dimacs(std::string_view text, const std::string& file);

/// PACE's `.gr` of 2016: `c` comments, `p tw VERTICES EDGES`, lines `ONE OTHER`, ids from 1. The
/// graph is undirected and gets weights as of roads.
graph parse_pace(std::string_view text, const std::string& file);

/// Matrix Market: coordinate, pattern (weights are then 1 to 100), integer or real, of whole
/// numbers; general, every entry an arc from its row to its column, or symmetric, undirected.
graph parse_matrix_market_graph(std::string_view text, const std::string& file);

/// Galois' binary `.gr`, version 1, with 4 or no bytes of data per edge, which are taken for whole
/// numbers (weights are 1 to 100 where there are none).
graph parse_galois(std::string_view bytes, const std::string& file);

/// ECL's `.egr`, with numbers and places of 64 or of 32 bits, with weights or without (1 to 100
/// then), told by its length.
graph parse_egr(std::string_view bytes, const std::string& file);

/// Whether the length is that of an `.egr` file of the sizes that it begins with, and the first
/// place is 0, as it is in no graph of Galois.
bool is_egr(std::string_view bytes);

/// DIMACS' `.max`: `c` comments, `p max VERTICES ARCS`, lines `n ID s` and `n ID t` before the
/// first arc, lines `a FROM TO CAPACITY`, ids from 1.
flow_network parse_network(std::string_view bytes, const std::string& file);

}  // namespace finesync::inputs
