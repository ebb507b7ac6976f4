// Matrix Market's coordinate format, as a graph.
#include <inputs/graphs/edge_lines.hpp>
#include <inputs/graphs/formats.hpp>
#include <inputs/graphs/unweighted.hpp>
#include <inputs/matrix_market.hpp>

namespace finesync::inputs {

graph parse_matrix_market_graph(std::string_view text, const std::string& file) {
  line_cursor at(text, file);
  const matrix_market_head head = read_matrix_market_head(at, {"general", "symmetric"});
  if (head.rows != head.columns || head.rows > max_vertices)
    at.fail(fmt::format("{} rows and {} columns are no graph", head.rows, head.columns));
  const graph_sizes sizes{static_cast<std::uint32_t>(head.rows), head.entries};
  const std::size_t shortest_line = (head.is_pattern ? sizeof("1 1\n") : sizeof("1 1 1\n")) - 1;
  const auto edges = read_edges(at, sizes, shortest_line, [&](line_cursor& line) {
    const std::uint32_t row = read_vertex(line, "a row", sizes.vertices);
    const std::uint32_t column = read_vertex(line, "a column", sizes.vertices);
    return edge{row, column, head.is_pattern ? 0 : read_weight(line, "a weight")};
  });
  graph read = (head.is_symmetric ? undirected_graph : directed_graph)(file, sizes.vertices, edges);
  if (head.is_pattern) set_usual_weights(read);
  return read;
}

}  // namespace finesync::inputs
