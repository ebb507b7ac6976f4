// What the matrix of an alignment has to be, by one thread of the CPU.
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

/// Of the matrix that task.cuh defines. The corner, the score of the whole, is the last of both.
struct matrix_summary {
  std::vector<std::int32_t> last_row;     ///< at(rows, 0) to at(rows, columns)
  std::vector<std::int32_t> last_column;  ///< at(0, columns) to at(rows, columns)
  std::vector<std::int64_t> row_sums;     ///< [i] is at(i, 1) + ... + at(i, columns), from i = 0
};

/// Called with each i from 0 to rows, in this order, and at(i, 0) to at(i, columns), which are
/// there until it returns.
using row_visitor = std::function<void(std::size_t i, std::span<const std::int32_t> row)>;

/// Computes the matrix row by row and keeps two rows of it. (gap + 127) * (rows + columns) must be
/// less than 2^31.
matrix_summary scores_of(letters down, letters across, const inputs::scoring& by, std::int32_t gap,
                         const row_visitor& visit = {});

}  // namespace finesync::nw
