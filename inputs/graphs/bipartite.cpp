#include <inputs/graphs/bipartite.hpp>
#include <inputs/graphs/build.hpp>
#include <inputs/input_error.hpp>

#include <fmt/format.h>

#include <vector>

namespace finesync::inputs {

graph bipartite_graph(const ratings& all) {
  const std::uint64_t vertices = std::uint64_t{all.lefts} + all.rights;
  if (vertices > max_vertices)
    throw input_error(
        all.name, fmt::format("{} lefts and rights are too many vertices for a graph", vertices));
  std::vector<edge> edges(all.entries.size());
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i] = {all.entries[i].left, all.lefts + all.entries[i].right, 1};
  return undirected_graph(all.name, static_cast<std::uint32_t>(vertices), edges);
}

}  // namespace finesync::inputs
