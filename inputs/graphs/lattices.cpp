#include <inputs/graphs/build.hpp>
#include <inputs/graphs/lattices.cuh>
#include <inputs/graphs/lattices.hpp>
#include <inputs/graphs/weights.cuh>

#include <cmath>

namespace finesync::inputs {
namespace {

template <class LinksOf>
graph lattice(const std::string& name, std::uint32_t width, std::uint32_t vertices,
              LinksOf&& links_of) {
  std::vector<std::uint8_t> links(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v)
    links[v] = static_cast<std::uint8_t>(links_of(width, v));
  graph made;
  made.name = name;
  made.is_simple = true;
  made.first.reserve(std::size_t{vertices} + 1);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const auto back = [&](std::uint32_t way, std::uint32_t steps) {
      if ((links[v] & way) != 0) made.targets.push_back(v - steps);
    };
    const auto on = [&](std::uint32_t way, std::uint64_t steps) {
      if (v + steps < vertices && (links[v + steps] & way) != 0)
        made.targets.push_back(static_cast<std::uint32_t>(v + steps));
    };
    back(links_back::north_west, width + 1);
    back(links_back::north, width);
    back(links_back::west, 1);
    on(links_back::west, 1);
    on(links_back::north, width);
    on(links_back::north_west, width + 1);
    made.first.push_back(made.arcs());
  }
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
