// Checks that a flow is valid and that it is maximum.
#pragma once

#include <inputs/graphs/flow_network.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace finesync::graph_reference {

/// A flow as residual capacities: of each arc its capacity, less its flow, plus the flow of its
/// mate.
using residuals = std::span<const std::uint32_t>;

/// The reason why this is no flow, nothing if it is one. Either the residuals of an arc and its
/// mate do not add up to their capacities, or flow is not conserved at a vertex other than source
/// and sink.
std::optional<std::string> fault_of_flow(const inputs::flow_network& through, residuals left);

/// Net flow out of the source; may be negative.
std::int64_t value_of_flow(const inputs::flow_network& through, residuals left);

/// Whether the sink cannot be reached in the residual network. Such a flow is maximum (L. R. Ford,
/// D. R. Fulkerson, 1956), by whatever algorithm.
bool is_maximum(const inputs::flow_network& through, residuals left);

}  // namespace finesync::graph_reference
