#include <inputs/parts.hpp>
#include <workloads/graph_reference/ranks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <vector>

namespace finesync::graph_reference {
namespace {

/// The largest relative error of that many roundings to 32-bit floats, one after the other.
double error_of(double roundings) {
  const double all = roundings * 0x1p-24;
  return all / (1 - all);
}

/// What a vertex gave each of its arcs in all rounds, and what it still has to give.
struct gift {
  double rank;
  double residual;
};

/// Keeps the smaller one.
void note(std::atomic<std::uint32_t>& first, std::size_t vertex) {
  const auto found = static_cast<std::uint32_t>(vertex);
  std::uint32_t known = first.load(std::memory_order_relaxed);
  while (found < known && !first.compare_exchange_weak(known, found)) {
  }
}

}  // namespace

std::optional<std::string> fault_of_ranks(const inputs::graph& sources,
                                          std::span<const std::uint32_t> arcs,
                                          const claimed_ranks& claimed,
                                          const chain_of_additions& additions) {
  if (claimed.rounds == 0) return "there was no round";
  const std::uint32_t vertices = sources.vertices();
  const double damping = claimed.damping;
  const double first_residual = 1.0f - claimed.damping;
  const double enough = claimed.enough;
  const auto divisor = [&](std::size_t vertex) { return std::max(arcs[vertex], 1u); };
  const inputs::parts pieces(vertices);

  std::vector<gift> gifts(vertices);
  std::atomic<std::uint32_t> unfinished = vertices;
  std::atomic<bool> was_unfinished = vertices == 0;
  pieces.for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      gifts[v] = {static_cast<double>(claimed.ranks[v]) / divisor(v), claimed.shares[v]};
      const double slack = error_of(4);  // of a residual that was divided and multiplied again
      if (!(gifts[v].residual * divisor(v) <= enough * (1 + slack))) note(unfinished, v);
      if (static_cast<double>(claimed.shares_before[v]) * divisor(v) > enough * (1 - slack))
        was_unfinished.store(true, std::memory_order_relaxed);
    }
  });
  if (unfinished != vertices)
    return fmt::format("vertex {} has a residual of {} after round {}, the last one", unfinished,
                       gifts[unfinished].residual * divisor(unfinished), claimed.rounds);

  std::atomic<std::uint32_t> wrong = vertices;
  std::vector<double> right(vertices);
  pieces.for_each([&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      double given = 0;
      double left = 0;
      for (std::uint32_t arc = sources.first[v]; arc < sources.first[v + 1]; ++arc) {
        const gift& each = gifts[sources.targets[arc]];
        given += each.rank;
        left += each.residual;
      }
      right[v] = first_residual + damping * (given - left);
      const double roundings =
          2.0 * claimed.rounds + additions(sources.first[v + 1] - sources.first[v]) + 4;
      const double tolerance = error_of(roundings) * (first_residual + damping * given);
      if (!(std::abs(claimed.ranks[v] - right[v]) <= tolerance)) note(wrong, v);
    }
  });
  if (wrong != vertices)
    return fmt::format("vertex {} has rank {}, and those with arcs to it explain {}", wrong,
                       claimed.ranks[wrong], right[wrong]);
  if (!was_unfinished)
    return fmt::format("round {} was one too many: no residual exceeded {} before it",
                       claimed.rounds, claimed.enough);
  return {};
}

}  // namespace finesync::graph_reference
