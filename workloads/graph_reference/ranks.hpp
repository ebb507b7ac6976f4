// Checks ranks (PageRank) without computing them again.
#pragma once

#include <inputs/graphs/graph.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace finesync::graph_reference {

/// The ranks that a program claims, and how it came to them.
///
/// The rank of a vertex is 1 - damping, plus damping times the sum of rank / arcs of those that
/// have an arc to it. Repeated arcs count each, loops too; what a vertex without arcs has, it
/// passes to nobody. The mean rank is 1, or less if there are such vertices.
///
/// In rounds: at first the residual of each vertex is 1 - damping. In each round its new residual
/// is damping times the sum of residual / arcs of those that have an arc to it. The rank is the
/// sum of the residuals of all rounds. The rounds end with the first in which no residual exceeds
/// `enough`.
struct claimed_ranks {
  float damping;
  float enough;
  std::uint32_t rounds;           ///< at least 1
  std::span<const float> ranks;   ///< one per vertex
  std::span<const float> shares;  ///< residual / arcs of the last round; for no arcs, the residual
  std::span<const float> shares_before;  ///< of the round before
};

/// Longest chain of additions in the sum of that many shares.
using chain_of_additions = std::function<std::uint32_t(std::uint32_t)>;

/// Why the claim is wrong; nothing if it is right. Runs on all cores.
///
/// It is right if rank(v) = 1 - damping + damping * sum of (rank - residual)(u) / arcs(u), if no
/// residual exceeds `enough`, and if one of the round before did. For then the exact rank is larger
/// by what the residuals still pass on: over all vertices, by damping / (1 - damping) times the sum
/// of the residuals at most.
///
/// The equation must hold up to the rounding of 32-bit sums of positive numbers, and no further. A
/// rank is a sum of `rounds` residuals, a residual one of `additions`, and a share two roundings of
/// a residual. So it may be off by 2 * rounds + additions + 4 roundings of its right-hand side with
/// `rank` in the place of `rank - residual`.
///
/// \param sources for each vertex, in its row, those that have an arc to it
/// \param arcs for each vertex, the number of its own arcs
std::optional<std::string> fault_of_ranks(const inputs::graph& sources,
                                          std::span<const std::uint32_t> arcs,
                                          const claimed_ranks& claimed,
                                          const chain_of_additions& additions);

}  // namespace finesync::graph_reference
