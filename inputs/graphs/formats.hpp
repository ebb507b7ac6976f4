// Readers of the formats for graphs. `file` is the name in errors. Errors are input_errors, with
// their line for text formats: invalid numbers or numbers out of range, fewer or more arcs than
// announced, a file cut short. Lines end in LF or CRLF, also the last one. Announced numbers that
// the length of the file does not support allocate nothing. Edges without weights get weights from
// weights.cuh, always the same.
#pragma once

#include <inputs/graphs/flow_network.hpp>
#include <inputs/graphs/graph.hpp>

#include <string>
#include <string_view>

namespace finesync::inputs {

/// Detects which of the formats of graphs below the file has, by its beginning. Any other file is
/// an input_error that names its apparent kind.
graph parse_graph(std::string_view bytes, const std::string& file);

/// DIMACS' `.gr` of the 9th challenge: `c` comments, `p sp VERTICES ARCS`, lines `a FROM TO
/// WEIGHT`, ids from 1. Every line is an arc; loops and repeated arcs stay.
graph parse_dimacs(std::string_view text, const std::string& file);

/// PACE's `.gr` of 2016: `c` comments, `p tw VERTICES EDGES`, lines `ONE OTHER`, ids from 1. The
/// graph is undirected and gets weights like a road network.
graph parse_pace(std::string_view text, const std::string& file);

/// Matrix Market: coordinate; pattern (weights are then 1 to 100), integer or real with whole
/// numbers; general (every entry is an arc from its row to its column) or symmetric (undirected).
graph parse_matrix_market_graph(std::string_view text, const std::string& file);

/// Galois' binary `.gr`, version 1, with 4 or no bytes of data per edge. The data are read as whole
/// numbers; without data, weights are 1 to 100.
graph parse_galois(std::string_view bytes, const std::string& file);

/// ECL's `.egr`, with numbers and places of 64 or 32 bits, with or without weights (without: 1 to
/// 100). The length of the file shows which.
graph parse_egr(std::string_view bytes, const std::string& file);

/// Whether the length is that of an `.egr` file with the sizes at its beginning, and the first
/// place is 0, as in no graph of Galois.
bool is_egr(std::string_view bytes);

/// DIMACS' `.max`: `c` comments, `p max VERTICES ARCS`, lines `n ID s` and `n ID t` before the
/// first arc, lines `a FROM TO CAPACITY`, ids from 1.
flow_network parse_network(std::string_view bytes, const std::string& file);

}  // namespace finesync::inputs
