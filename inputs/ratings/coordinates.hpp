// Common to KONECT and Matrix Market: announced sizes, then a line per entry.
#pragma once

#include <inputs/line_cursor.hpp>
#include <inputs/matrix_market.hpp>
#include <inputs/ratings/ratings.hpp>

#include <cstdint>
#include <optional>

namespace finesync::inputs {

/// The sizes that the head of a file announces.
struct announced {
  std::optional<std::uint64_t> entries;  ///< unknown: all complete lines up to the end
  bool sum_is_entries = false;  ///< `entries` may be the sum of the values, which are counts
  std::uint64_t lefts = max_ids;
  std::uint64_t rights = max_ids;
};

enum class value_column { absent, optional, real, integer };

/// Reads lines `left right`, ids from 1, with a value if the format has one (else it is 1); a time
/// may follow an optional value. Rejects a side with a million ids or more, if it has more ids than
/// the lines have bytes.
ratings read_coordinates(line_cursor& at, const announced& sizes, value_column values);

}  // namespace finesync::inputs
