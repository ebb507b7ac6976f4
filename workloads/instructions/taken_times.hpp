// Whether kernels have taken their times. Plain C++.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace finesync::instructions {

/// What of these times cannot be; each is ~0 before it is taken. \param ticks whether the clock
/// does: on the executor, a fence may take no time.
inline std::string fault_of_cycles(const std::vector<std::uint32_t>& cycles, bool ticks) {
  if (const auto lost = std::count(cycles.begin(), cycles.end(), ~0u))
    return std::to_string(lost) + " times were not taken";
  if (ticks && std::find(cycles.begin(), cycles.end(), 0u) != cycles.end())
    return "a load missed the store in front of it";
  return "";
}

/// The same of blocks: of each its SM, start and end.
inline std::string fault_of_spans(const std::vector<std::uint64_t>& spans, bool ticks) {
  if (const auto lost = std::count(spans.begin(), spans.end(), ~std::uint64_t{0}))
    return std::to_string(lost) + " facts of blocks are missing";
  if (!ticks) return "";
  for (std::size_t at = 0; at < spans.size(); at += 3)
    if (spans[at + 1] >= spans[at + 2]) return "a block ended before it began";
  return "";
}

}  // namespace finesync::instructions
