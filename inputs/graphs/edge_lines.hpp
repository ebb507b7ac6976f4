// Common to the text formats of graphs: announced sizes, then a line per edge.
#pragma once

#include <inputs/graphs/build.hpp>
#include <inputs/line_cursor.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace finesync::inputs {

struct graph_sizes {
  std::uint32_t vertices;
  std::uint64_t edges;
};

/// Reads the next two numbers.
inline graph_sizes read_sizes(line_cursor& at) {
  at.skip_blanks();
  const std::uint64_t vertices = at.integer("a number of vertices", 0, max_vertices);
  at.skip_blanks();
  return {static_cast<std::uint32_t>(vertices), at.integer("a number of edges", 0, max_arcs)};
}

/// Reads the next vertex id and subtracts 1, so that ids begin at 0.
inline std::uint32_t read_vertex(line_cursor& at, const char* what, std::uint32_t vertices) {
  at.skip_blanks();
  return static_cast<std::uint32_t>(at.integer(what, 1, vertices) - 1);
}

inline std::uint32_t read_weight(line_cursor& at, const char* what) {
  at.skip_blanks();
  return static_cast<std::uint32_t>(at.integer(what, 0, max_weight));
}

/// Skips the comment lines of DIMACS, which begin with `c`, and empty lines. False at the end.
inline bool skip_comments(line_cursor& at) {
  while (at.find_word() && at.next_is('c')) at.skip_line();
  return !at.at_end();
}

/// What the lines of a format are like.
struct edge_lines {
  std::size_t shortest;      ///< bytes of a line, with its end
  bool have_comments;        ///< between them, see skip_comments()
  bool last_needs_line_end;  ///< else the number at the end of the file may be cut short
};

/// Reads the rest: `read` makes an edge of a line, up to its end. Rejects a million vertices or
/// more, if there are more than the rest has bytes: users of the graph allocate memory per vertex.
template <class Read>
std::vector<edge> read_edges(line_cursor& at, const graph_sizes& sizes, const edge_lines& lines,
                             Read&& read) {
  constexpr std::uint64_t always_fine = 1 << 20;
  const std::size_t bytes = at.bytes_left();
  const std::size_t room = (bytes + 1) / lines.shortest;  // the last line may lack its end
  if (sizes.edges > room)
    at.fail(fmt::format("{} edges are announced, and the file has room for {} at most", sizes.edges,
                        room));
  if (sizes.vertices > std::max<std::uint64_t>(bytes, always_fine))
    at.fail(
        fmt::format("{} vertices in {} bytes: most of them cannot occur", sizes.vertices, bytes));
  std::vector<edge> edges;
  edges.reserve(sizes.edges);
  while (lines.have_comments ? skip_comments(at) : at.find_word()) {
    if (edges.size() == sizes.edges)
      at.fail(fmt::format("there are more than the {} edges announced", sizes.edges));
    edges.push_back(read(at));
    lines.last_needs_line_end ? at.end_whole_line() : at.end_line();
  }
  if (edges.size() != sizes.edges)
    at.fail(
        fmt::format("the file ends after {} of the {} edges announced", edges.size(), sizes.edges));
  return edges;
}

}  // namespace finesync::inputs
