#include <inputs/graphs/build.hpp>
#include <inputs/graphs/graph.hpp>

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

}  // namespace

void sort_rows(graph& of) {
  std::vector<std::uint64_t> row;
  for (std::uint32_t u = 0; u < of.vertices(); ++u) {
    const std::uint32_t begin = of.first[u];
    row.resize(of.first[u + 1] - begin);
    for (std::uint32_t i = 0; i < row.size(); ++i)
      row[i] = std::uint64_t{of.targets[begin + i]} << 32 | of.weights[begin + i];
    if (std::ranges::is_sorted(row)) continue;
    std::ranges::sort(row);
    for (std::uint32_t i = 0; i < row.size(); ++i) {
      of.targets[begin + i] = static_cast<std::uint32_t>(row[i] >> 32);
      of.weights[begin + i] = static_cast<std::uint32_t>(row[i]);
    }
  }
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

graph transposed(const graph& of) {
  graph turned{.name = of.name,
               .first = std::vector<std::uint32_t>(of.first.size()),
               .targets = std::vector<std::uint32_t>(of.targets.size()),
               .weights = std::vector<std::uint32_t>(of.weights.size()),
               .is_simple = of.is_simple};
  for (const std::uint32_t target : of.targets) ++turned.first[target + 1];
  std::partial_sum(turned.first.begin(), turned.first.end(), turned.first.begin());
  std::vector<std::uint32_t> next(turned.first.begin(), turned.first.end() - 1);
  for (std::uint32_t u = 0; u < of.vertices(); ++u)
    for (std::uint32_t arc = of.first[u]; arc < of.first[u + 1]; ++arc) {
      const std::uint32_t place = next[of.targets[arc]]++;
      turned.targets[place] = u;
      turned.weights[place] = of.weights[arc];
    }
  return turned;
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

}  // namespace finesync::inputs
