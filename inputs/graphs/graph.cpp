#include <inputs/graphs/build.hpp>
#include <inputs/graphs/graph.hpp>
#include <inputs/parts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

namespace finesync::inputs {
namespace {

// Visits all arcs with their reverse arcs. Vertices and targets ascend, so the arcs back to u come
// in the order in which their vertices store them. False if `pair` returns false, or an arc has no
// reverse arc.
template <class Pair>
bool pair_up_arcs(const graph& of, Pair&& pair) {
  std::vector<std::uint32_t> next(of.first.begin(), of.first.end() - 1);
  for (std::uint32_t u = 0; u < of.vertices(); ++u)
    for (std::uint32_t arc = of.first[u]; arc < of.first[u + 1]; ++arc) {
      const std::uint32_t v = of.targets[arc];
      const std::uint32_t back = next[v]++;
      if (back == of.first[v + 1] || of.targets[back] != u || !pair(arc, back)) return false;
    }
  return true;
}

// Sorts the arcs of a vertex.
void sort_row(graph& of, std::size_t vertex, std::vector<std::uint64_t>& scratch) {
  const std::uint32_t begin = of.first[vertex];
  scratch.resize(of.first[vertex + 1] - begin);
  for (std::uint32_t i = 0; i < scratch.size(); ++i)
    scratch[i] = std::uint64_t{of.targets[begin + i]} << 32 | of.weights[begin + i];
  if (std::ranges::is_sorted(scratch)) return;
  std::ranges::sort(scratch);
  for (std::uint32_t i = 0; i < scratch.size(); ++i) {
    of.targets[begin + i] = static_cast<std::uint32_t>(scratch[i] >> 32);
    of.weights[begin + i] = static_cast<std::uint32_t>(scratch[i]);
  }
}

}  // namespace

void sort_rows(graph& of) {
  std::vector<std::uint64_t> scratch;
  for (std::uint32_t u = 0; u < of.vertices(); ++u) sort_row(of, u, scratch);
}

std::optional<std::string> fault_of(const graph& of) {
  if (of.first.front() != 0) return "the arcs of the first vertex do not begin with the first";
  const auto falls = std::ranges::is_sorted_until(of.first);
  if (falls != of.first.end())
    return fmt::format("the arcs of vertex {} end before they begin", falls - of.first.begin() - 1);
  if (of.first.back() != of.arcs()) return "the arcs of the last vertex do not end with the last";
  const auto wild =
      std::ranges::find_if(of.targets, [&](std::uint32_t v) { return v >= of.vertices(); });
  if (wild != of.targets.end())
    return fmt::format("arc {} goes to {}, and there are {} vertices", wild - of.targets.begin(),
                       *wild, of.vertices());
  const auto heavy =
      std::ranges::find_if(of.weights, [](std::uint32_t w) { return w > max_weight; });
  if (heavy != of.weights.end())
    return fmt::format("the weight of arc {} is no number from 0 to {}", heavy - of.weights.begin(),
                       max_weight);
  return std::nullopt;
}

std::optional<std::vector<std::uint32_t>> mates_of(const graph& of) {
  std::vector<std::uint32_t> mates(of.arcs());
  if (!pair_up_arcs(of, [&](std::uint32_t arc, std::uint32_t back) {
        mates[arc] = back;
        return true;
      }))
    return std::nullopt;
  return mates;
}

bool is_undirected(const graph& of) {
  return pair_up_arcs(of, [&](std::uint32_t arc, std::uint32_t back) {
    return of.weights[arc] == of.weights[back];
  });
}

graph undirected(graph of) {
  if (of.is_simple) return of;
  std::vector<edge> edges;
  edges.reserve(of.arcs());
  for (std::uint32_t u = 0; u < of.vertices(); ++u)
    for (std::uint32_t arc = of.first[u]; arc < of.first[u + 1]; ++arc)
      edges.push_back({u, of.targets[arc], of.weights[arc]});
  return undirected_graph(of.name, of.vertices(), edges);
}

graph transposed(const graph& of) {
  if (of.is_simple) return of;
  graph made{of.name, std::vector<std::uint32_t>(of.first.size()),
             std::vector<std::uint32_t>(of.arcs()), std::vector<std::uint32_t>(of.arcs())};
  for (const std::uint32_t target : of.targets) ++made.first[target + 1];
  std::partial_sum(made.first.begin(), made.first.end(), made.first.begin());
  std::vector<std::uint32_t> next(made.first.begin(), made.first.end() - 1);
  // In the order of their vertices, and repeated arcs in the order of their weights, as before.
  for (std::uint32_t u = 0; u < of.vertices(); ++u)
    for (std::uint32_t arc = of.first[u]; arc < of.first[u + 1]; ++arc) {
      const std::uint32_t place = next[of.targets[arc]]++;
      made.targets[place] = u;
      made.weights[place] = of.weights[arc];
    }
  return made;
}

graph renumbered(const graph& of, std::span<const std::uint32_t> order) {
  graph made = of;
  std::vector<std::uint32_t> numbers(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    numbers[order[i]] = i;
    made.first[i + 1] = made.first[i] + of.first[order[i] + 1] - of.first[order[i]];
  }
  parts(order.size()).for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<std::uint64_t> scratch;
    for (std::size_t i = begin; i < end; ++i) {
      std::uint32_t place = made.first[i];
      for (std::uint32_t arc = of.first[order[i]]; arc < of.first[order[i] + 1]; ++arc, ++place) {
        made.targets[place] = numbers[of.targets[arc]];
        made.weights[place] = of.weights[arc];
      }
      sort_row(made, i, scratch);
    }
  });
  return made;
}

}  // namespace finesync::inputs
