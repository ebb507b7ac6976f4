#include <inputs/graphs/hard/networks.hpp>
#include <inputs/graphs/random_edges.cuh>
#include <inputs/random.cuh>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace finesync::inputs {
namespace {

constexpr std::uint32_t largest_capacity = 10'000;

// Streams of random numbers; rmat_edge() uses those before them. From the last on, each arc of a
// vertex has a stream.
constexpr std::uint32_t of_capacities = 100;
constexpr std::uint32_t of_ends = 101;

// 1 to `most`.
std::uint32_t capacity(std::uint32_t seed, std::uint32_t i, std::uint32_t most) {
  return bounded(random32(seed, of_capacities, i), most) + 1;
}

}  // namespace

flow_network frames_network(const std::string& name, std::uint32_t side, std::uint32_t frames,
                            std::uint32_t seed) {
  const std::uint32_t of_frame = side * side;
  const std::uint32_t vertices = of_frame * frames;
  const std::uint32_t wide = largest_capacity * of_frame;
  std::vector<edge> edges;
  std::vector<std::uint32_t> images(of_frame);
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    const std::uint32_t first = frame * of_frame;
    for (std::uint32_t i = 0; i < of_frame; ++i) {
      const auto join = [&](std::uint32_t other) {
        edges.push_back({first + i, first + other, wide});
        edges.push_back({first + other, first + i, wide});
      };
      if (i % side + 1 < side) join(i + 1);
      if (i + side < of_frame) join(i + side);
    }
    if (frame + 1 == frames) break;
    std::iota(images.begin(), images.end(), first + of_frame);
    for (std::uint32_t i = of_frame - 1; i > 0; --i)
      std::swap(images[i], images[bounded(random32(seed, of_ends, first + i), i + 1)]);
    for (std::uint32_t i = 0; i < of_frame; ++i)
      edges.push_back({first + i, images[i], capacity(seed, first + i, largest_capacity)});
  }
  return network_of(name, vertices, edges, 0, vertices - 1);
}

flow_network ladder_network(const std::string& name, std::uint32_t size) {
  const std::uint32_t of_part = 2 * size + 2;
  const std::uint32_t sink = 2 * of_part + 1;
  std::vector<edge> part;  // from its vertex 0 to its last one
  const std::uint32_t middle = size + 1;
  for (std::uint32_t i = 0; i < size; ++i) {
    part.push_back({i, i + 1, size + 1 - i});
    part.push_back({i, middle, 1});
    part.push_back({middle + i, middle + i + 1, size + 1});
  }
  part.push_back({size, middle, 1});
  part.push_back({size, of_part - 1, 1});
  std::vector<edge> edges;
  for (const auto& [from, to, width] : part) {
    edges.push_back({1 + from, 1 + to, width});
    edges.push_back({2 * of_part - to, 2 * of_part - from, width});
  }
  for (const std::uint32_t first : {1u, 1 + of_part}) {
    edges.push_back({0, first, 2 * size + 4});
    edges.push_back({first + of_part - 1, sink, 2 * size + 4});
  }
  return network_of(name, sink + 1, edges, 0, sink);
}

flow_network matching_network(const std::string& name, std::uint32_t side, std::uint32_t degree,
                              std::uint32_t seed) {
  const std::uint32_t sink = 2 * side + 1;
  std::vector<edge> edges;
  for (std::uint32_t left = 0; left < side; ++left) {
    edges.push_back({0, 1 + left, 1});
    edges.push_back({1 + side + left, sink, 1});
    for (std::uint32_t i = 0; i < degree; ++i)
      edges.push_back({1 + left, 1 + side + bounded(random32(seed, of_ends + i, left), side), 1});
  }
  return network_of(name, sink + 1, edges, 0, sink);
}

flow_network layered_network(const std::string& name, std::uint32_t width, std::uint32_t layers,
                             std::uint32_t seed) {
  constexpr std::uint32_t ways = 3;
  const std::uint32_t sink = width * layers + 1;
  std::vector<edge> edges;
  for (std::uint32_t i = 0; i < width; ++i) {
    edges.push_back({0, 1 + i, ways * largest_capacity});
    edges.push_back({sink - 1 - i, sink, ways * largest_capacity});
  }
  for (std::uint32_t v = 1; v + width < sink; ++v) {
    const std::uint32_t next = 1 + ((v - 1) / width + 1) * width;
    for (std::uint32_t way = 0; way < ways; ++way)
      edges.push_back({v, next + bounded(random32(seed, of_ends + way, v), width),
                       capacity(seed, ways * v + way, largest_capacity)});
  }
  return network_of(name, sink + 1, edges, 0, sink);
}

flow_network power_law_network(const std::string& name, std::uint32_t scale, std::uint32_t seed) {
  const std::uint32_t vertices = 1u << scale;
  std::vector<edge> edges(std::size_t{8} * vertices);
  std::vector<std::uint64_t> leaving(vertices), arriving(vertices);
  for (std::uint32_t i = 0; i < edges.size(); ++i) {
    const auto [from, to] = rmat_edge(graph500_law(), scale, seed, i);
    edges[i] = {from, to, capacity(seed, i, 100)};
    if (from == to) continue;
    leaving[from] += edges[i].weight;
    arriving[to] += edges[i].weight;
  }
  const auto most = [](const std::vector<std::uint64_t>& of) {
    return static_cast<std::uint32_t>(std::ranges::max_element(of) - of.begin());
  };
  const std::uint32_t source = most(leaving);
  arriving[source] = 0;
  std::uint32_t sink = most(arriving);
  if (sink == source) sink = source == 0 ? 1 : 0;  // no arc reaches any other vertex
  return network_of(name, vertices, edges, source, sink);
}

}  // namespace finesync::inputs
