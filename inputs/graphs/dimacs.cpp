// Graphs and networks of the DIMACS challenges and of PACE, whose files look similar.
#include <inputs/graphs/edge_lines.hpp>
#include <inputs/graphs/formats.hpp>
#include <inputs/graphs/unweighted.hpp>
#include <inputs/text.hpp>

#include <array>
#include <optional>

namespace finesync::inputs {
namespace {

// The line `p KIND VERTICES EDGES`.
graph_sizes read_problem(line_cursor& at, std::string_view kind) {
  skip_comments(at);
  at.expect_word("p");
  at.skip_blanks();
  at.expect_word(kind);
  const graph_sizes sizes = read_sizes(at);
  at.end_line();
  return sizes;
}

// A line `a FROM TO NUMBER`.
edge read_arc(line_cursor& at, std::uint32_t vertices, const char* number) {
  at.expect_word("a");
  const std::uint32_t from = read_vertex(at, "a vertex", vertices);
  const std::uint32_t to = read_vertex(at, "a vertex", vertices);
  return {from, to, read_weight(at, number)};
}

constexpr edge_lines arc_lines{
    .shortest = sizeof("a 1 1 1\n") - 1, .have_comments = true, .last_needs_line_end = true};

// The lines `n ID s` and `n ID t`, in either order.
struct terminals {
  std::uint32_t source;
  std::uint32_t sink;
};

terminals read_terminals(line_cursor& at, std::uint32_t vertices) {
  std::array<std::optional<std::uint32_t>, 2> found;
  for (int i = 0; i < 2; ++i) {
    skip_comments(at);
    at.expect_word("n");
    const std::uint32_t vertex = read_vertex(at, "a vertex", vertices);
    at.skip_blanks();
    const bool is_sink = at.next_is('t');
    if (!is_sink && !at.next_is('s')) at.refuse("'s' or 't'");
    at.expect(is_sink ? "t" : "s");
    if (found[is_sink]) at.fail(fmt::format("there are two {}", is_sink ? "sinks" : "sources"));
    if (found[!is_sink] == vertex) at.fail("the source is the sink");
    found[is_sink] = vertex;
    at.end_line();
  }
  return {*found[0], *found[1]};
}

}  // namespace

graph parse_dimacs(std::string_view text, const std::string& file) {
  line_cursor at(text, file);
  const graph_sizes sizes = read_problem(at, "sp");
  return directed_graph(file, sizes.vertices,
                        read_edges(at, sizes, arc_lines, [&](line_cursor& line) {
                          return read_arc(line, sizes.vertices, "a weight");
                        }));
}

graph parse_pace(std::string_view text, const std::string& file) {
  line_cursor at(text, file);
  const graph_sizes sizes = read_problem(at, "tw");
  constexpr edge_lines lines{
      .shortest = sizeof("1 1\n") - 1, .have_comments = true, .last_needs_line_end = true};
  graph read =
      undirected_graph(file, sizes.vertices, read_edges(at, sizes, lines, [&](line_cursor& line) {
                         const std::uint32_t one = read_vertex(line, "a vertex", sizes.vertices);
                         return edge{one, read_vertex(line, "a vertex", sizes.vertices), 0};
                       }));
  set_road_weights(read);
  return read;
}

flow_network parse_network(std::string_view bytes, const std::string& file) {
  line_cursor at(text_in(bytes, file), file);
  const graph_sizes sizes = read_problem(at, "max");
  const terminals ends = read_terminals(at, sizes.vertices);
  return network_of(
      file, sizes.vertices,
      read_edges(at, sizes, arc_lines,
                 [&](line_cursor& line) { return read_arc(line, sizes.vertices, "a capacity"); }),
      ends.source, ends.sink);
}

}  // namespace finesync::inputs
