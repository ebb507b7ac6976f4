#include <workloads/graph_reference/flow.hpp>

#include <fmt/format.h>

#include <vector>

namespace finesync::graph_reference {
namespace {

// Net flow out of a vertex.
std::int64_t leaves(const inputs::graph& arcs, residuals left, std::uint32_t vertex) {
  std::int64_t sum = 0;
  for (std::uint32_t arc = arcs.first[vertex]; arc < arcs.first[vertex + 1]; ++arc)
    sum += std::int64_t{arcs.weights[arc]} - left[arc];
  return sum;
}

}  // namespace

std::optional<std::string> fault_of_flow(const inputs::flow_network& through, residuals left) {
  const inputs::graph& arcs = through.arcs;
  if (left.size() != arcs.arcs())
    return fmt::format("{} numbers for {} arcs", left.size(), arcs.arcs());
  for (std::uint32_t u = 0; u < arcs.vertices(); ++u) {
    for (std::uint32_t arc = arcs.first[u]; arc < arcs.first[u + 1]; ++arc) {
      const std::uint32_t mate = through.mates[arc];
      const std::uint64_t both = std::uint64_t{left[arc]} + left[mate];
      const std::uint64_t capacity = std::uint64_t{arcs.weights[arc]} + arcs.weights[mate];
      if (both != capacity)
        return fmt::format("the arcs {} - {} have {} left, and a capacity of {} both ways", u,
                           arcs.targets[arc], both, capacity);
    }
    const std::int64_t out = leaves(arcs, left, u);
    if (out != 0 && u != through.source && u != through.sink)
      return fmt::format("{} more leave vertex {} than arrive there", out, u);
  }
  return std::nullopt;
}

std::int64_t value_of_flow(const inputs::flow_network& through, residuals left) {
  return leaves(through.arcs, left, through.source);
}

bool is_maximum(const inputs::flow_network& through, residuals left) {
  const inputs::graph& arcs = through.arcs;
  std::vector<std::uint8_t> is_reached(arcs.vertices());
  std::vector<std::uint32_t> reached{through.source};
  is_reached[through.source] = 1;
  while (!reached.empty()) {
    const std::uint32_t u = reached.back();
    reached.pop_back();
    for (std::uint32_t arc = arcs.first[u]; arc < arcs.first[u + 1]; ++arc) {
      const std::uint32_t v = arcs.targets[arc];
      if (left[arc] == 0 || is_reached[v] != 0) continue;
      is_reached[v] = 1;
      reached.push_back(v);
    }
  }
  return is_reached[through.sink] == 0;
}

}  // namespace finesync::graph_reference
