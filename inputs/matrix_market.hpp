// The head of a Matrix Market file in coordinate format.
#pragma once

#include <inputs/line_cursor.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

namespace finesync::inputs {

/// Limit of rows and of columns: they fit in 32 bits, with one number to spare.
constexpr std::uint64_t max_ids = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t max_entries = std::uint64_t{1} << 40;

/// What the entries are beside their positions.
enum class matrix_field { pattern, integer, real };

struct matrix_market_head {
  matrix_field field;
  bool is_symmetric;  ///< the file has only one of two mirrored entries
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t entries;
};

/// Reads the banner, the comments and the sizes, up to the first entry. Formats other than
/// coordinate, fields other than pattern, integer and real, and other symmetries are input_errors.
/// As in SciPy, an unsigned-integer is an integer and a double is real; comments come only before
/// the sizes, empty lines and leading blanks anywhere.
matrix_market_head read_matrix_market_head(line_cursor& at,
                                           std::initializer_list<std::string_view> symmetries);

}  // namespace finesync::inputs
