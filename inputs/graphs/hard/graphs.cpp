#include <inputs/graphs/hard/graphs.hpp>
#include <inputs/graphs/weights.cuh>
#include <inputs/random.cuh>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace finesync::inputs {
namespace {

// Edges between successive vertices of [first, end); `weight_of` the number of the edge, from 0.
template <class WeightOf>
void add_path(std::vector<edge>& edges, std::uint32_t first, std::uint32_t end,
              const WeightOf& weight_of) {
  for (std::uint32_t i = 0; first + i + 1 < end; ++i)
    edges.push_back({first + i, first + i + 1, weight_of(i)});
}

template <class WeightOf>
std::vector<edge> path(std::uint32_t vertices, const WeightOf& weight_of) {
  std::vector<edge> edges;
  edges.reserve(vertices);
  add_path(edges, 0, vertices, weight_of);
  return edges;
}

// How many times a number is divisible by `base`.
std::uint32_t power_in(std::uint32_t number, std::uint32_t base) {
  std::uint32_t power = 0;
  for (; number % base == 0; number /= base) ++power;
  return power;
}

// Weights of a path. In each round `base` neighbouring parts join, and are a part of the next
// round.
auto weights_by_rounds(std::uint32_t vertices, std::uint32_t base) {
  return [=](std::uint32_t i) { return power_in(i + 1, base) * vertices + i + 1; };
}

std::uint32_t root_of(std::uint32_t number) {
  return static_cast<std::uint32_t>(std::sqrt(number));
}

}  // namespace

std::vector<edge> rising_path(std::uint32_t vertices) {
  return path(vertices, [](std::uint32_t i) { return i + 1; });
}

std::vector<edge> falling_path(std::uint32_t vertices) {
  return path(vertices, [=](std::uint32_t i) { return vertices - 1 - i; });
}

std::vector<edge> random_path(std::uint32_t vertices, std::uint32_t seed) {
  return path(vertices,
              [=](std::uint32_t i) { return uniform_weight(edge_bits(seed, i, i + 1), 100); });
}

std::vector<edge> shuffled_path(std::uint32_t vertices, std::uint32_t seed) {
  std::vector<std::uint32_t> order(vertices);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t i = vertices - 1; i > 0; --i)
    std::swap(order[i], order[bounded(random32(seed, 0, i), i + 1)]);
  std::vector<edge> edges = rising_path(vertices);
  for (edge& each : edges) each = {order[each.from], order[each.to], each.weight};
  return edges;
}

std::vector<edge> path_of_pairs(std::uint32_t vertices) {
  return path(vertices, [](std::uint32_t i) { return i % 2 == 0 ? 1 : 2 + i / 2; });
}

std::vector<edge> path_of_merges(std::uint32_t vertices) {
  return path(vertices, weights_by_rounds(vertices, 2));
}

std::vector<edge> path_of_chains(std::uint32_t vertices) {
  return path(vertices, weights_by_rounds(vertices, 512));
}

std::vector<edge> caterpillar(std::uint32_t vertices) {
  const std::uint32_t spine = (vertices + 1) / 2;
  std::vector<edge> edges = rising_path(spine);
  for (std::uint32_t leaf = spine; leaf < vertices; ++leaf)
    edges.push_back({leaf - spine, leaf, leaf});
  return edges;
}

std::vector<edge> comb(std::uint32_t vertices) {
  const std::uint32_t length = root_of(vertices);
  std::vector<edge> edges;
  for (std::uint32_t base = 0; base < vertices; base += length) {
    const std::uint32_t end = std::min(base + length, vertices);
    if (base != 0) edges.push_back({base - length, base, vertices + base});
    add_path(edges, base, end, [=](std::uint32_t i) { return end - 1 - i; });
  }
  return edges;
}

std::vector<edge> star(std::uint32_t vertices) {
  std::vector<edge> edges;
  for (std::uint32_t leaf = 1; leaf < vertices; ++leaf) edges.push_back({0, leaf, leaf});
  return edges;
}

std::vector<edge> star_of_paths(std::uint32_t vertices) {
  const std::uint32_t length = root_of(vertices);
  std::vector<edge> edges;
  for (std::uint32_t v = 1; v < vertices; ++v)
    edges.push_back({v % length == 1 % length ? 0 : v - 1, v, v});
  return edges;
}

std::vector<edge> clique(std::uint32_t vertices, std::uint32_t seed) {
  std::vector<edge> edges;
  for (std::uint32_t one = 0; one < vertices; ++one)
    for (std::uint32_t other = one + 1; other < vertices; ++other)
      edges.push_back({one, other, uniform_weight(edge_bits(seed, one, other), 10'000)});
  return edges;
}

std::vector<edge> row_of_cliques(std::uint32_t vertices) {
  constexpr std::uint32_t size = 8;
  std::vector<edge> edges;
  for (std::uint32_t v = 1; v < vertices; ++v) {
    const std::uint32_t first = v / size * size;
    if (v == first) edges.push_back({first - size, first, 1 + first / size});
    for (std::uint32_t other = first; other < v; ++other) edges.push_back({other, v, 1});
  }
  return edges;
}

std::vector<edge> hub_over_merges(std::uint32_t vertices) {
  std::vector<edge> edges;
  add_path(edges, 1, vertices, weights_by_rounds(vertices, 2));
  const std::uint32_t heaviest = 32 * vertices;  // more than any round's
  for (std::uint32_t v = 1; v < vertices; ++v) edges.push_back({0, v, heaviest + vertices - v});
  return edges;
}

}  // namespace finesync::inputs
