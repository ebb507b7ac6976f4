// The largest flow through a network.
#pragma once

#include <inputs/graphs/flow_network.hpp>

#include <cstdint>

namespace finesync::graph_reference {

/// How much can go from source to sink, by Boost.Graph's push-relabel, which takes the network as
/// it lies and 8 bytes of memory more per arc. The flow itself is not handed out: where an arc and
/// its mate both have a capacity Boost may leave some of it at vertices on the way.
std::int64_t maximum_flow(const inputs::flow_network& through);

}  // namespace finesync::graph_reference
