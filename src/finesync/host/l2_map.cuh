// SPDX-License-Identifier: Apache-2.0
// The side of the L2 to which each SM and each line of memory belongs, found by timing.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/host/stream.cuh"

#include <cstdint>
#include <string_view>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// The measure of an SM's distance from a line (docs/library/fences.md). On an H200 the two
/// measures give two independent splits into halves: of the lines near an SM by one measure, half
/// are near by the other. On an H100 fences show no distance.
enum class l2_distance {
  /// A release fence after a load of the line. On an H200 some 400 cycles if both are on one side,
  /// else some 560, with no SM and line in between. This seems to be the side where the line is
  /// kept and from which the fence needs an answer.
  fence,
  load,  ///< a load of the line: on an H200 272 and 296 cycles, with much overlap
};

/// The side of each SM and line.
struct l2_map {
  l2_distance by = l2_distance::fence;
  /// The share of the differences in distance that two sides explain, 0 to 1; 0 if no two halves
  /// explain most (l2_split.cuh).
  double explained = 0;
  std::vector<std::uint32_t> side_of_sm = {};  ///< 0 or 1
  std::vector<std::uint32_t> lines_of[2] =
      {};  ///< fastest first; each side has at least two fifths

  /// Whether the measure shows two sides. If not, the sides are arbitrary halves. A map of noise
  /// explains a hundredth.
  bool has_sides() const { return explained >= 0.2; }
  /// "fences", "loads", or "none": what shows the sides, for rows of results.
  std::string_view shown_by() const {
    if (!has_sides()) return "none";
    return by == l2_distance::fence ? "fences" : "loads";
  }
};

/// Whether to prefer a map to another. Of two maps without sides, neither.
inline bool explains_more(const l2_map& one, const l2_map& other) {
  return one.has_sides() && one.explained > other.explained;
}

/// Measures the map of `lines` consecutive lines, at least eight; the host executor invents one.
/// The lines must be zero before; they are not zero afterwards. Host side; takes some milliseconds,
/// in the stream of the lines.
l2_map map_l2_lines(cell<std::uint32_t>* first, unsigned lines, l2_distance by,
                    const stream& on = {});

}  // namespace finesync::inline FINESYNC_ABI
