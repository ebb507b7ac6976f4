// Flow networks.
#pragma once

#include <inputs/graphs/build.hpp>
#include <inputs/graphs/graph.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace finesync::inputs {

/// Has no loops and no repeated arcs. Each arc has a reverse arc, its mate, of capacity 0 if
/// necessary. So it is the residual network of the flow that is 0 everywhere.
struct flow_network {
  graph arcs;  ///< their weights are the capacities
  std::vector<std::uint32_t> mates;
  std::uint32_t source = 0;
  std::uint32_t sink = 1;  ///< not the source

  bool operator==(const flow_network&) const = default;
};

/// The network of these edges: capacities of repeated edges are added, loops are dropped.
flow_network network_of(const std::string& name, std::uint32_t vertices,
                        std::span<const edge> edges, std::uint32_t source, std::uint32_t sink);

/// The network of arcs that are known to satisfy these rules.
flow_network network_of(graph arcs, std::uint32_t source, std::uint32_t sink);

}  // namespace finesync::inputs
