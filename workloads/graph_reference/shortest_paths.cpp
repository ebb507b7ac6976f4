#include <inputs/parts.hpp>
#include <workloads/graph_reference/shortest_paths.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace finesync::graph_reference {
namespace {

// Arcs of length 0 lead on from explained vertices only: two ends may not explain each other.
void explain_along_level_arcs(const inputs::graph& in, std::span<const std::uint32_t> distances,
                              std::vector<char>& explained) {
  std::vector<std::uint32_t> known;
  for (std::uint32_t vertex = 0; vertex < in.vertices(); ++vertex)
    if (explained[vertex] != 0 && distances[vertex] != unreached) known.push_back(vertex);
  while (!known.empty()) {
    const std::uint32_t vertex = known.back();
    known.pop_back();
    for (std::uint32_t arc = in.first[vertex]; arc < in.first[vertex + 1]; ++arc) {
      const std::uint32_t target = in.targets[arc];
      if (in.weights[arc] != 0 || distances[target] != distances[vertex] || explained[target] != 0)
        continue;
      explained[target] = 1;
      known.push_back(target);
    }
  }
}

}  // namespace

std::optional<std::string> fault_of_distances(const inputs::graph& in, std::uint32_t source,
                                              bool weighted,
                                              std::span<const std::uint32_t> distances) {
  if (distances[source] != 0) return fmt::format("the source is at distance {}", distances[source]);
  std::vector<char> explained(in.vertices());
  explained[source] = 1;
  std::atomic<std::uint64_t> longer = in.arcs();  // the first arc that shortens a distance
  std::atomic<bool> has_level_arcs = false;       // between equal distances
  inputs::parts(in.vertices()).for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t vertex = begin; vertex < end; ++vertex) {
      if (distances[vertex] == unreached) continue;
      for (std::uint32_t arc = in.first[vertex]; arc < in.first[vertex + 1]; ++arc) {
        const std::uint32_t target = in.targets[arc];
        const std::uint64_t here =
            std::uint64_t{distances[vertex]} + (weighted ? in.weights[arc] : 1);
        if (here < distances[target]) {
          std::uint64_t first = longer.load(std::memory_order_relaxed);
          while (arc < first && !longer.compare_exchange_weak(first, arc)) {
          }
        } else if (here == distances[target]) {
          if (here == distances[vertex])
            has_level_arcs.store(true, std::memory_order_relaxed);
          else
            std::atomic_ref(explained[target]).store(1, std::memory_order_relaxed);
        }
      }
    }
  });
  if (longer != in.arcs())
    return fmt::format("vertex {} is at distance {}, and an arc to it is shorter",
                       in.targets[longer], distances[in.targets[longer]]);
  if (has_level_arcs) explain_along_level_arcs(in, distances, explained);
  for (std::uint32_t vertex = 0; vertex < in.vertices(); ++vertex)
    if (distances[vertex] != unreached && explained[vertex] == 0)
      return fmt::format("vertex {} is at distance {}, and no arc explains it", vertex,
                         distances[vertex]);
  return {};
}

bool distances_fit(const inputs::graph& in, std::uint32_t source) {
  const std::uint64_t heaviest = in.weights.empty() ? 0 : std::ranges::max(in.weights);
  if (heaviest * in.vertices() < unreached) return true;
  std::vector<std::uint32_t> distances(in.vertices(), unreached);
  std::vector<std::uint32_t> level{source};
  distances[source] = 0;
  while (!level.empty()) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t vertex : level)
      for (std::uint32_t arc = in.first[vertex]; arc < in.first[vertex + 1]; ++arc) {
        const std::uint32_t target = in.targets[arc];
        if (distances[target] != unreached) continue;
        const std::uint64_t here = std::uint64_t{distances[vertex]} + in.weights[arc];
        if (here >= unreached) return false;
        distances[target] = static_cast<std::uint32_t>(here);
        next.push_back(target);
      }
    level = std::move(next);
  }
  return true;
}

std::uint32_t usual_source(const inputs::graph& in) {
  std::uint32_t best = 0;
  std::uint32_t most = 0;
  for (std::uint32_t vertex = 0; vertex < in.vertices() && most < 3; ++vertex) {
    const std::uint32_t arcs = in.first[vertex + 1] - in.first[vertex];
    if (arcs <= most) continue;
    most = arcs;
    best = vertex;
  }
  return best;
}

}  // namespace finesync::graph_reference
