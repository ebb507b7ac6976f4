// Matrix Market's coordinate format, as a graph.
#include <inputs/graphs/edge_lines.hpp>
#include <inputs/graphs/formats.hpp>
#include <inputs/graphs/unweighted.hpp>
#include <inputs/matrix_market.hpp>

namespace finesync::inputs {

namespace {

std::uint32_t read_weight(line_cursor& at, matrix_field field) {
  constexpr const char* what = "a weight";
  if (field == matrix_field::pattern) return 0;
  if (field == matrix_field::integer) return read_weight(at, what);
  at.skip_blanks();
  return static_cast<std::uint32_t>(at.whole_real(what, 0, max_weight));
}

}  // namespace

graph parse_matrix_market_graph(std::string_view text, const std::string& file) {
  line_cursor at(text, file);
  const matrix_market_head head = read_matrix_market_head(at, {"general", "symmetric"});
  if (head.rows != head.columns || head.rows > max_vertices)
    at.fail(fmt::format("{} rows and {} columns are no graph", head.rows, head.columns));
  const graph_sizes sizes{static_cast<std::uint32_t>(head.rows), head.entries};
  const edge_lines lines{
      .shortest = (head.field == matrix_field::pattern ? sizeof("1 1\n") : sizeof("1 1 1\n")) - 1,
      .have_comments = false,
      .last_needs_line_end = false};
  const auto edges = read_edges(at, sizes, lines, [&](line_cursor& line) {
    const std::uint32_t row = read_vertex(line, "a row", sizes.vertices);
    const std::uint32_t column = read_vertex(line, "a column", sizes.vertices);
    return edge{row, column, read_weight(line, head.field)};
  });
  graph read = (head.is_symmetric ? undirected_graph : directed_graph)(file, sizes.vertices, edges);
  if (head.field == matrix_field::pattern) set_usual_weights(read);
  return read;
}

}  // namespace finesync::inputs
