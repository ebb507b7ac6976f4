// SPDX-License-Identifier: Apache-2.0
// The root of a barrier that gathers and releases: a block to which the others arrive, at counters
// on its side of the L2.
#pragma once

#include "finesync/barriers/start_barrier.cuh"
#include "finesync/device/l2_lines.cuh"
#include "finesync/device/numbering.cuh"
#include "finesync/device/watchdog.cuh"

#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

inline constexpr unsigned root_block = 0;  ///< its block index

/// Called by all threads of all blocks. Contains a grid barrier. If the watchdog ends it, the
/// root's later wait times out. \param line its index on both sides, for this alone.
__device__ inline unsigned find_side_of_root(const l2_lines_ref& lines, unsigned line,
                                             unsigned own_side, const watchdog_ref& watchdog) {
  cell<std::uint32_t>& roots_side = lines.line(0, line);
  __syncthreads();  // reads before joining are complete
  if (is_first_of_block()) {
    start_barrier gate(reinterpret_cast<cell<std::uint64_t>&>(lines.line(1, line)), grid_blocks());
    const std::uint64_t opening = gate.openings() + 1;
    if (block_rank() == root_block) roots_side = own_side;
    gate.pass(opening, watchdog);
  }
  __syncthreads();
  return roots_side;
}

}  // namespace finesync::inline FINESYNC_ABI
