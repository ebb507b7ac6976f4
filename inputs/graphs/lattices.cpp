#include <inputs/graphs/build.hpp>
#include <inputs/graphs/lattices.cuh>
#include <inputs/graphs/lattices.hpp>
#include <inputs/graphs/weights.cuh>
#include <inputs/parts.hpp>

#include <cmath>
#include <numeric>
#include <vector>

namespace finesync::inputs {
namespace {

// Calls `put` with the neighbours of a vertex, in ascending order.
template <class Put>
void neighbours(const std::vector<std::uint8_t>& links, std::uint32_t width, std::size_t vertex,
                const Put& put) {
  const auto back = [&](std::uint32_t way, std::size_t steps) {
    if ((links[vertex] & way) != 0) put(static_cast<std::uint32_t>(vertex - steps));
  };
  const auto on = [&](std::uint32_t way, std::size_t steps) {
    if (vertex + steps < links.size() && (links[vertex + steps] & way) != 0)
      put(static_cast<std::uint32_t>(vertex + steps));
  };
  const std::size_t row = width;
  back(links_back::north_west, row + 1);
  back(links_back::north, row);
  back(links_back::west, 1);
  on(links_back::west, 1);
  on(links_back::north, row);
  on(links_back::north_west, row + 1);
}

template <class LinksOf>
graph lattice(const std::string& name, std::uint32_t width, std::uint32_t vertices,
              const LinksOf& links_of) {
  const parts of_vertices(vertices);
  const auto for_each_vertex = [&](const auto& run) {
    of_vertices.for_each([&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) run(v);
    });
  };
  std::vector<std::uint8_t> links(vertices);
  for_each_vertex([&](std::size_t v) {
    links[v] = static_cast<std::uint8_t>(links_of(width, static_cast<std::uint32_t>(v)));
  });
  graph made{name, std::vector<std::uint32_t>(std::size_t{vertices} + 1), {}, {}, true};
  for_each_vertex([&](std::size_t v) {
    neighbours(links, width, v, [&](std::uint32_t) { ++made.first[v + 1]; });
  });
  std::inclusive_scan(made.first.begin(), made.first.end(), made.first.begin());
  made.targets.resize(made.first.back());
  for_each_vertex([&](std::size_t v) {
    std::uint32_t arc = made.first[v];
    neighbours(links, width, v, [&](std::uint32_t other) { made.targets[arc++] = other; });
  });
  return made;
}

}  // namespace

graph grid_graph(const std::string& name, std::uint32_t width, std::uint32_t seed) {
  graph made = lattice(name, width, width * width,
                       [=](std::uint32_t w, std::uint32_t v) { return grid_links(w, seed, v); });
  constexpr std::uint32_t most = 100;
  set_weights(made, [=](std::uint32_t one, std::uint32_t other) {
    return uniform_weight(edge_bits(seed, one, other), most);
  });
  return made;
}

graph road_graph(const std::string& name, std::uint32_t vertices, std::uint32_t seed) {
  const auto width = static_cast<std::uint32_t>(std::ceil(std::sqrt(vertices)));
  graph made = lattice(name, width, vertices,
                       [=](std::uint32_t w, std::uint32_t v) { return road_links(w, seed, v); });
  set_weights(made, [=](std::uint32_t one, std::uint32_t other) {
    return road_weight(edge_bits(seed, one, other));
  });
  return made;
}

}  // namespace finesync::inputs
