// Detection of the graph format.
#include <inputs/graphs/edge_lines.hpp>
#include <inputs/graphs/formats.hpp>
#include <inputs/input_error.hpp>
#include <inputs/text.hpp>

#include <algorithm>

namespace finesync::inputs {
namespace {

// KIND of the line `p KIND ...`; empty if there is none.
std::string_view problem_of(std::string_view text, const std::string& file) {
  line_cursor at(text, file);
  skip_comments(at);
  if (at.word() != "p") return {};
  at.skip_blanks();
  return at.word();
}

bool is_binary(std::string_view bytes) {
  return std::ranges::count(bytes.substr(0, 4096), '\0') != 0;
}

bool has_galois_version(std::string_view bytes) {
  return bytes.size() >= 8 && (bytes[0] == 1 || bytes[0] == 2) &&
         std::ranges::count(bytes.substr(1, 7), '\0') == 7;
}

}  // namespace

graph parse_graph(std::string_view bytes, const std::string& file) {
  // Before anything else, as the number that such a file begins with may be that of gzip.
  if (is_binary(bytes) && is_egr(bytes)) return parse_egr(bytes, file);
  const std::string_view text = text_in(bytes, file);
  if (is_binary(text)) {
    if (has_galois_version(bytes)) return parse_galois(bytes, file);
    throw input_error(file,
                      "it is binary data, and neither a graph of Galois nor one of ECL that is "
                      "whole");
  }
  const auto counted_from_1 = [&](graph read) {
    read.first_number = 1;
    return read;
  };
  if (begins_with(text, "%%")) return counted_from_1(parse_matrix_market_graph(text, file));
  const std::string_view kind = problem_of(text, file);
  if (kind == "sp") return counted_from_1(parse_dimacs(text, file));
  if (kind == "tw") return counted_from_1(parse_pace(text, file));
  if (kind == "max") throw input_error(file, "it is a flow network, and a graph is wanted");
  throw input_error(file, 1,
                    "it is none of DIMACS ('p sp' after comments), PACE ('p tw'), Matrix Market "
                    "(begins with '%%MatrixMarket'), Galois and ECL (binary)");
}

}  // namespace finesync::inputs
