// The side of the L2 to which each SM and each line of memory belongs, found by timing.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/host/stream.cuh"

#include <cstdint>
#include <vector>

namespace finesync::inline FINESYNC_ABI {

/// The measure of an SM's distance from a line (docs/fences.md). On an H200 the two measures give
/// two independent splits into halves: of the lines near an SM by one measure, half are near by the
/// other.
enum class l2_distance {
  /// A release fence after a load of the line: some 400 cycles if both are on one side, else some
  /// 560, with no SM and line in between. This seems to be the side where the line is kept and from
  /// which the fence needs an answer.
  fence,
  load,  ///< a load of the line: 272 and 296 cycles, with much overlap
};

/// The side of each SM and line.
struct l2_map {
  std::vector<std::uint32_t> side_of_sm;   ///< 0 or 1
  std::vector<std::uint32_t> lines_of[2];  ///< fastest first; each side has at least two fifths
};

/// Measures the map of `lines` consecutive lines, at least eight; the host executor invents one.
/// The lines must be zero before; they are not zero afterwards. Host side; takes some milliseconds,
/// in the stream of the lines.
l2_map map_l2_lines(cell<std::uint32_t>* first, unsigned lines, l2_distance by,
                    const stream& on = {});

}  // namespace finesync::inline FINESYNC_ABI
