// Which SMs and lines of memory lie on which side of the L2, as found by timing.
#pragma once

#include "finesync/device/cell.cuh"
#include "finesync/host/stream.cuh"

#include <cstdint>
#include <vector>

namespace finesync {
inline namespace FINESYNC_ABI {

/// What tells how far an SM is from a line (docs/fences.md). On an H200 these are two splits into
/// halves that have nothing to do with each other: of an SM's near lines by the one, half are near
/// by the other.
enum class l2_distance {
  fence,  ///< a release fence after a load of the line: some 400 cycles where both are of one side,
          ///< else some 560; not one SM and line in between, so it seems to be the side where the
          ///< line is kept, and which the fence has to hear from
  load,   ///< a load of the line: 272 and 296 cycles, and much overlap
};

/// Where SMs and lines lie, as found.
struct l2_map {
  std::vector<std::uint32_t> side_of_sm;   ///< 0 or 1
  std::vector<std::uint32_t> lines_of[2];  ///< the quickest first; at least two of five on each
};

/// Times (or, on the host executor, makes up) the map of `lines` consecutive lines, at least eight,
/// that are all zero before and not after. Host side; takes some milliseconds, in the stream of the
/// lines.
l2_map map_l2_lines(cell<std::uint32_t>* first, unsigned lines, l2_distance by,
                    const stream& on = {});

}  // namespace FINESYNC_ABI
}  // namespace finesync
