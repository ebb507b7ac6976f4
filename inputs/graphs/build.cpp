#include <inputs/graphs/build.hpp>
#include <inputs/input_error.hpp>
#include <inputs/parts.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace finesync::inputs {
namespace {

// The target of an arc and its weight: the sort key among the arcs of a vertex.
using packed_arc = std::uint64_t;

constexpr packed_arc packed(std::uint32_t target, std::uint32_t weight) {
  return packed_arc{target} << 32 | weight;
}
constexpr std::uint32_t target_of(packed_arc arc) {
  return static_cast<std::uint32_t>(arc >> 32);
}
constexpr std::uint32_t weight_of(packed_arc arc) {
  return static_cast<std::uint32_t>(arc);
}

// `arcs_of(edge, put)` passes the arcs of an edge, (from, to, weight), to `put`. `keep(row)` moves
// the arcs that stay to the front, and returns their number.
template <class ArcsOf, class Keep>
graph graph_of(const std::string& name, std::uint32_t vertices, std::span<const edge> edges,
               const ArcsOf& arcs_of, const Keep& keep) {
  const parts of_edges(edges.size());
  const auto for_each_arc = [&](const auto& put) {
    of_edges.for_each([&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) arcs_of(edges[i], put);
    });
  };
  const auto place = [](std::uint32_t& of) { return std::atomic_ref(of); };
  constexpr auto relaxed = std::memory_order_relaxed;

  std::vector<std::uint32_t> first(std::size_t{vertices} + 1);
  for_each_arc([&](std::uint32_t from, std::uint32_t, std::uint32_t) {
    place(first[from]).fetch_add(1, relaxed);
  });
  const std::uint64_t arcs = std::accumulate(first.begin(), first.end(), std::uint64_t{0});
  if (arcs > max_arcs)
    throw input_error(name, fmt::format("{} arcs are more than {}", arcs, max_arcs));
  std::inclusive_scan(first.begin(), first.end(), first.begin());

  // The order in which threads add arcs does not matter: the arcs are sorted afterwards.
  const auto packed_arcs = std::make_unique_for_overwrite<packed_arc[]>(arcs);
  for_each_arc([&](std::uint32_t from, std::uint32_t to, std::uint32_t weight) {
    packed_arcs[place(first[from]).fetch_sub(1, relaxed) - 1] = packed(to, weight);
  });
  const parts of_vertices(vertices);
  graph made{name, std::vector<std::uint32_t>(std::size_t{vertices} + 1), {}, {}, false};
  of_vertices.for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::span row(packed_arcs.get() + first[v], packed_arcs.get() + first[v + 1]);
      std::ranges::sort(row);
      made.first[v + 1] = keep(row);
    }
  });
  std::inclusive_scan(made.first.begin(), made.first.end(), made.first.begin());

  made.targets.resize(made.first.back());
  made.weights.resize(made.first.back());
  of_vertices.for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      for (std::uint32_t arc = made.first[v]; arc < made.first[v + 1]; ++arc) {
        const packed_arc from = packed_arcs[first[v] + (arc - made.first[v])];
        made.targets[arc] = target_of(from);
        made.weights[arc] = weight_of(from);
      }
  });
  return made;
}

// Merges arcs with the same target: `merge(weight, next weight)`.
template <class Merge>
auto merging(const Merge& merge) {
  return [=](std::span<packed_arc> row) {
    std::uint32_t kept = 0;
    for (const packed_arc next : row) {
      if (kept != 0 && target_of(row[kept - 1]) == target_of(next))
        row[kept - 1] = packed(target_of(next), merge(weight_of(row[kept - 1]), weight_of(next)));
      else
        row[kept++] = next;
    }
    return kept;
  };
}

}  // namespace

graph directed_graph(const std::string& name, std::uint32_t vertices, std::span<const edge> edges) {
  return graph_of(
      name, vertices, edges,
      [](const edge& each, const auto& put) { put(each.from, each.to, each.weight); },
      [](std::span<packed_arc> row) { return static_cast<std::uint32_t>(row.size()); });
}

graph undirected_graph(const std::string& name, std::uint32_t vertices,
                       std::span<const edge> edges) {
  graph simple = graph_of(
      name, vertices, edges,
      [](const edge& each, const auto& put) {
        if (each.from == each.to) return;
        put(each.from, each.to, each.weight);
        put(each.to, each.from, each.weight);
      },
      merging([](std::uint32_t lightest, std::uint32_t) { return lightest; }));
  simple.is_simple = true;
  return simple;
}

graph capacity_graph(const std::string& name, std::uint32_t vertices, std::span<const edge> edges) {
  return graph_of(
      name, vertices, edges,
      [](const edge& each, const auto& put) {
        if (each.from == each.to) return;
        put(each.from, each.to, each.weight);
        put(each.to, each.from, 0u);
      },
      merging([&](std::uint32_t one, std::uint32_t other) {
        if (one + other > max_weight)
          throw input_error(
              name,
              fmt::format("the capacities of repeated arcs add up to more than {}", max_weight));
        return one + other;
      }));
}

}  // namespace finesync::inputs
