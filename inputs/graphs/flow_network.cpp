#include <inputs/graphs/flow_network.hpp>

#include <utility>

namespace finesync::inputs {

flow_network network_of(const std::string& name, std::uint32_t vertices,
                        std::span<const edge> edges, std::uint32_t source, std::uint32_t sink) {
  return network_of(capacity_graph(name, vertices, edges), source, sink);
}

flow_network network_of(graph arcs, std::uint32_t source, std::uint32_t sink) {
  std::vector<std::uint32_t> mates = mates_of(arcs).value();
  return {std::move(arcs), std::move(mates), source, sink};
}

}  // namespace finesync::inputs
