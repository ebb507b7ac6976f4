#include <inputs/graphs/build.hpp>
#include <inputs/input_error.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace finesync::inputs {
namespace {

// The target of an arc and its weight, which order it among those of its vertex.
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

struct rows {
  std::vector<std::uint32_t> first;
  std::vector<packed_arc> arcs;  // of each vertex in order
};

// `for_each_arc` hands (from, to, weight) of the same arcs to its argument each time.
template <class ForEachArc>
rows rows_of(const std::string& name, std::uint32_t vertices, ForEachArc&& for_each_arc) {
  rows made;
  made.first.resize(std::size_t{vertices} + 1);
  std::uint64_t arcs = 0;
  for_each_arc([&](std::uint32_t from, std::uint32_t, std::uint32_t) {
    ++made.first[from];
    ++arcs;
  });
  if (arcs > most_arcs)
    throw input_error(name, fmt::format("{} arcs are more than {}", arcs, most_arcs));
  std::inclusive_scan(made.first.begin(), made.first.end(), made.first.begin());
  made.arcs.resize(arcs);
  for_each_arc([&](std::uint32_t from, std::uint32_t to, std::uint32_t weight) {
    made.arcs[--made.first[from]] = packed(to, weight);
  });
  for (std::uint32_t v = 0; v < vertices; ++v)
    std::sort(made.arcs.data() + made.first[v], made.arcs.data() + made.first[v + 1]);
  return made;
}

// Makes one arc of those of a vertex to the same target: `merge(weight, next weight)`.
template <class Merge>
void merge_repeats(rows& of, Merge&& merge) {
  std::uint32_t kept = 0;
  for (std::size_t v = 0, arc = 0; v + 1 < of.first.size(); ++v) {
    const std::uint32_t begin = kept;
    for (; arc < of.first[v + 1]; ++arc) {
      const packed_arc next = of.arcs[arc];
      if (kept != begin && target_of(of.arcs[kept - 1]) == target_of(next))
        of.arcs[kept - 1] =
            packed(target_of(next), merge(weight_of(of.arcs[kept - 1]), weight_of(next)));
      else
        of.arcs[kept++] = next;
    }
    of.first[v] = begin;
  }
  of.first.back() = kept;
  of.arcs.resize(kept);
}

graph unpacked(const std::string& name, rows from) {
  graph made{name, std::move(from.first), {}, {}, false};
  made.targets.resize(from.arcs.size());
  made.weights.resize(from.arcs.size());
  std::ranges::transform(from.arcs, made.targets.begin(), target_of);
  std::ranges::transform(from.arcs, made.weights.begin(), weight_of);
  return made;
}

}  // namespace

graph directed_graph(const std::string& name, std::uint32_t vertices, std::span<const edge> edges) {
  return unpacked(name, rows_of(name, vertices, [&](auto&& put) {
                    for (const edge& each : edges) put(each.from, each.to, each.weight);
                  }));
}

graph undirected_graph(const std::string& name, std::uint32_t vertices,
                       std::span<const edge> edges) {
  rows made = rows_of(name, vertices, [&](auto&& put) {
    for (const edge& each : edges) {
      if (each.from == each.to) continue;
      put(each.from, each.to, each.weight);
      put(each.to, each.from, each.weight);
    }
  });
  merge_repeats(made, [](std::uint32_t lightest, std::uint32_t) { return lightest; });
  graph simple = unpacked(name, std::move(made));
  simple.is_simple = true;
  return simple;
}

graph capacity_graph(const std::string& name, std::uint32_t vertices, std::span<const edge> edges) {
  rows made = rows_of(name, vertices, [&](auto&& put) {
    for (const edge& each : edges) {
      if (each.from == each.to) continue;
      put(each.from, each.to, each.weight);
      put(each.to, each.from, 0u);
    }
  });
  merge_repeats(made, [&](std::uint32_t one, std::uint32_t other) {
    if (one + other > most_weight)
      throw input_error(
          name, fmt::format("the capacities of repeated arcs add up to more than {}", most_weight));
    return one + other;
  });
  return unpacked(name, std::move(made));
}

}  // namespace finesync::inputs
