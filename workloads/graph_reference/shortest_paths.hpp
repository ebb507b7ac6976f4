// Checks distances from a source without computing them again.
#pragma once

#include <inputs/graphs/graph.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace finesync::graph_reference {

/// The distance of a vertex that no path reaches.
inline constexpr std::uint32_t unreached = 0xffffffffu;

/// Why these are not the distances from `source`; nothing if they are. An arc has its weight as
/// length, or 1 unless `weighted`. They are exact if the source is at 0, if no arc could shorten a
/// distance, and if every other reached vertex has an arc that explains its distance. Explanations
/// lead back to the source: an arc of length 0 explains if its own begin is explained. Runs on all
/// cores.
/// \param distances one per vertex
std::optional<std::string> fault_of_distances(const inputs::graph& in, std::uint32_t source,
                                              bool weighted,
                                              std::span<const std::uint32_t> distances);

/// Whether all distances from `source` are sure to be less than `unreached`. Paths with the fewest
/// arcs are bounds for the shortest ones. Takes a search over the graph if its weights are large.
bool distances_fit(const inputs::graph& in, std::uint32_t source);

/// A vertex to start from: the first with at least three arcs, or else the first with the most.
std::uint32_t usual_source(const inputs::graph& in);

}  // namespace finesync::graph_reference
