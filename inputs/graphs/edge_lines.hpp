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

/// Skips comment lines, which begin with the word `c`, and empty lines.
inline void skip_comments(line_cursor& at) {
  while (!at.at_end() && (at.at_line_end() || line_cursor(at).word() == "c")) at.skip_line();
}

/// Reads the rest: `read` makes an edge of a line, up to its end. Rejects a million vertices or
/// more, if there are more than the rest has bytes: users of the graph allocate memory per vertex.
template <class Read>
std::vector<edge> read_edges(line_cursor& at, const graph_sizes& sizes, std::size_t shortest_line,
                             Read&& read) {
  constexpr std::uint64_t always_fine = 1 << 20;
  const std::size_t bytes = at.bytes_left();
  if (sizes.edges > bytes / shortest_line)
    at.fail(fmt::format("{} edges are announced, and the file has room for {} at most", sizes.edges,
                        bytes / shortest_line));
  if (sizes.vertices > std::max<std::uint64_t>(bytes, always_fine))
    at.fail(
        fmt::format("{} vertices in {} bytes: most of them cannot occur", sizes.vertices, bytes));
  std::vector<edge> edges;
  edges.reserve(sizes.edges);
  for (skip_comments(at); !at.at_end(); skip_comments(at)) {
    if (edges.size() == sizes.edges)
      at.fail(fmt::format("there are more than the {} edges announced", sizes.edges));
    edges.push_back(read(at));
    at.skip_blanks();
    if (at.bytes_left() == 0) at.fail("the file ends within a line");
    at.end_line();
  }
  if (edges.size() != sizes.edges)
    at.fail(
        fmt::format("the file ends after {} of the {} edges announced", edges.size(), sizes.edges));
  return edges;
}

}  // namespace finesync::inputs
