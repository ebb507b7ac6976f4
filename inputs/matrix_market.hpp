// How a Matrix Market file in coordinate format begins.
#pragma once

#include <inputs/line_cursor.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

namespace finesync::inputs {

/// As many rows or columns as 32 bits can number, one number left over.
constexpr std::uint64_t most_ids = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_entries = std::uint64_t{1} << 40;

struct matrix_market_head {
  bool is_pattern;    ///< entries are places without values
  bool is_symmetric;  ///< of two entries that mirror each other one is in the file
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t entries;
};

/// Reads the banner, the comments and the sizes, up to the first entry. Whatever is not coordinate,
/// not pattern, integer or real, or of a symmetry that is not among these is an input_error.
matrix_market_head read_matrix_market_head(line_cursor& at,
                                           std::initializer_list<std::string_view> symmetries);

}  // namespace finesync::inputs
