// Whether what flows through a network may flow so, and whether more could.
#pragma once

#include <inputs/graphs/flow_network.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace finesync::graph_reference {

/// A flow by what it leaves free of each arc: the capacity, less what flows along, plus what flows
/// along its mate.
using residuals = std::span<const std::uint32_t>;

/// Why this is no flow: an arc and its mate have more or less left than their capacities, or at a
/// vertex other than source and sink there arrives more or less than leaves. Nothing where it is
/// one.
std::optional<std::string> fault_of_flow(const inputs::flow_network& through, residuals left);

/// What leaves the source, net; negative where more comes back.
std::int64_t value_of_flow(const inputs::flow_network& through, residuals left);

/// Whether nothing more can go from source to sink. A flow of which that is so is a maximum one (L.
/// R. Ford, D. R. Fulkerson, 1956), whoever computed it.
bool is_maximum(const inputs::flow_network& through, residuals left);

}  // namespace finesync::graph_reference
