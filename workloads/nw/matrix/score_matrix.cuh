// The matrix of an alignment, in global memory.
#pragma once

#include <finesync/device/cell.cuh>

#include <cstddef>
#include <cstdint>

namespace finesync::nw {

/// Scores of the best alignments of all prefixes: at(i, j) is the score of the first i letters of
/// one sequence with the first j of the other. Row 0 and column 0, the borders, are part of the
/// matrix.
struct score_matrix_ref {
  cell<std::int32_t>* origin;  ///< at(0, 0)
  std::size_t pitch;           ///< words from a row to the next
  unsigned rows;               ///< letters of the downward sequence: i is 0 to rows
  unsigned columns;            ///< letters of the sequence across: j is 0 to columns

  __host__ __device__ cell<std::int32_t>& at(unsigned i, unsigned j) const {
    return origin[i * pitch + j];
  }
};

}  // namespace finesync::nw
