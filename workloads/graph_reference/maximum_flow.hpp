// The value of a maximum flow.
#pragma once

#include <inputs/graphs/flow_network.hpp>

#include <cstdint>

namespace finesync::graph_reference {

/// The value of a maximum flow from source to sink, by Boost.Graph's push-relabel. It works on the
/// network in place, with 8 more bytes of memory per arc. The flow itself is not returned: if an
/// arc and its mate both have a capacity, Boost may leave excess at vertices on the way.
std::int64_t maximum_flow(const inputs::flow_network& through);

}  // namespace finesync::graph_reference
