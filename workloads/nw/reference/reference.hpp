// The correct matrix of an alignment, computed by one CPU thread.
#pragma once

#include <inputs/sequences/scoring.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace finesync::nw {

/// Numbers below the scoring's letters().
using letters = std::span<const std::uint8_t>;

/// Summary of the matrix that task.cuh defines. The corner, the total score, is the last element of
/// both last_row and last_column.
struct matrix_summary {
  std::vector<std::int32_t> last_row;     ///< at(rows, 0) to at(rows, columns)
  std::vector<std::int32_t> last_column;  ///< at(0, columns) to at(rows, columns)
  std::vector<std::int64_t> row_sums;     ///< [i] is at(i, 1) + ... + at(i, columns), from i = 0

  friend bool operator==(const matrix_summary&, const matrix_summary&) = default;
};

/// Called for each i from 0 to rows in ascending order, with at(i, 0) to at(i, columns). The span
/// is valid until the call returns.
using row_visitor = std::function<void(std::size_t i, std::span<const std::int32_t> row)>;

/// Computes the matrix row by row and keeps two rows. (gap + 127) * (rows + columns) must be less
/// than 2^31.
matrix_summary scores_of(letters down, letters across, const inputs::scoring& by, std::int32_t gap,
                         const row_visitor& visit = {});

}  // namespace finesync::nw
