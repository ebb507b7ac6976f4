// SPDX-License-Identifier: Apache-2.0
// Two sides of the L2 in a table of measured cycles: which SMs and lines are near each other, and
// how much of the table that explains. Pure functions of the table.
#pragma once

#include "finesync/host/l2_map.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

namespace detail {

/// A matrix of cycles without the common part of each row (an SM far from everything) and of each
/// column (a line far from everything).
class distances {
 public:
  distances(const std::vector<std::uint32_t>& cycles, unsigned sms, unsigned lines)
      : lines_(lines), excess_(cycles.begin(), cycles.end()) {
    for (unsigned sm = 0; sm < sms; ++sm) centre(sm * lines, 1, lines);
    for (unsigned line = 0; line < lines; ++line) centre(line, lines, sms);
  }

  double operator()(unsigned sm, unsigned line) const { return excess_[sm * lines_ + line]; }

  double sum_of_squares() const {
    return std::inner_product(excess_.begin(), excess_.end(), excess_.begin(), 0.0);
  }

 private:
  void centre(std::size_t first, std::size_t step, unsigned count) {
    double sum = 0;
    for (unsigned i = 0; i < count; ++i) sum += excess_[first + i * step];
    for (unsigned i = 0; i < count; ++i) excess_[first + i * step] -= sum / count;
  }

  unsigned lines_;
  std::vector<double> excess_;
};

}  // namespace detail

/// Assigns SMs and lines to two groups such that the split explains most of the differences, by
/// power iteration. The sign of an SM's score gives its group. A line is near the SMs of the
/// opposite sign, as its score grows with their cycles.
struct l2_split {
  std::vector<double> sm;
  std::vector<double> line;
  /// The variance between near and far pairs of an SM and a line, over the variance of all pairs: 1
  /// if all pairs are exactly one of two distances apart. Noise alone, split as well as possible,
  /// gives about 1/sms + 1/lines.
  double explained = 0;

  /// \param cycles [sm * lines + line].
  l2_split(const std::vector<std::uint32_t>& cycles, unsigned sms, unsigned lines)
      : sm(sms), line(lines) {
    const detail::distances excess(cycles, sms, lines);
    for (unsigned l = 0; l < lines; ++l) line[l] = excess(0, l);
    for (int round = 0; round < 20; ++round) {
      for (unsigned s = 0; s < sms; ++s) {
        sm[s] = 0;
        for (unsigned l = 0; l < lines; ++l) sm[s] += excess(s, l) * line[l];
      }
      double largest = 1e-30;
      for (const double score : sm) largest = std::max(largest, std::abs(score));
      for (double& score : sm) score /= largest;
      for (unsigned l = 0; l < lines; ++l) {
        line[l] = 0;
        for (unsigned s = 0; s < sms; ++s) line[l] += excess(s, l) * sm[s];
      }
    }
    const double total = excess.sum_of_squares();
    double between = 0;
    for (unsigned s = 0; s < sms; ++s)
      for (unsigned l = 0; l < lines; ++l)
        between += (sm[s] > 0) == (line[l] > 0) ? excess(s, l) : -excess(s, l);
    if (total > 0) explained = between * between / (total * sms * lines);
  }

  /// Whether each group has a quarter of the SMs, as a side of the L2 has. A few SMs that something
  /// disturbed while they were timed together also differ from the others.
  bool in_halves() const {
    const auto ones = static_cast<std::size_t>(
        std::count_if(sm.begin(), sm.end(), [](double score) { return score > 0; }));
    return 4 * std::min(ones, sm.size() - ones) >= sm.size();
  }
};

/// \param duration of barriers on each line: the order within a side.
inline l2_map map_of(l2_distance by, const l2_split& split,
                     const std::vector<std::uint32_t>& duration) {
  l2_map map{.by = by, .explained = split.in_halves() ? split.explained : 0};
  for (std::size_t sm = 0; sm < split.sm.size(); ++sm)
    map.side_of_sm.push_back(map.has_sides() ? split.sm[sm] > 0 : sm % 2 != 0);

  const std::size_t lines = split.line.size();
  std::vector<std::uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0u);
  if (map.has_sides()) {
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return split.line[a] > split.line[b];  // near side 0 first
    });
  }
  // Drops the middle tenth, which may lie on either side.
  const auto sure = static_cast<std::ptrdiff_t>(lines * 45 / 100);
  map.lines_of[0].assign(order.begin(), order.begin() + sure);
  map.lines_of[1].assign(order.end() - sure, order.end());
  for (auto& side : map.lines_of) {
    std::sort(side.begin(), side.end(),
              [&](std::uint32_t a, std::uint32_t b) { return duration[a] < duration[b]; });
  }
  return map;
}

}  // namespace finesync::inline FINESYNC_ABI
