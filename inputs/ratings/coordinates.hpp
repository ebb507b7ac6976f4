// What KONECT and Matrix Market have in common: announced sizes, then a line per entry.
#pragma once

#include <inputs/line_cursor.hpp>
#include <inputs/matrix_market.hpp>
#include <inputs/ratings/ratings.hpp>

#include <cstdint>
#include <optional>

namespace finesync::inputs {

/// What the head of a file says of the rest.
struct announced {
  std::optional<std::uint64_t> entries;  ///< unknown: those until the end, as complete lines
  bool sum_is_entries = false;  ///< the values, which are counts, may add up to `entries` instead
  std::uint64_t lefts = most_ids;
  std::uint64_t rights = most_ids;
};

enum class value_column { absent, optional, required };

/// Reads lines `left right`, ids from 1, with a value as the format has it (1 where there is
/// none); after an optional value there may be a time. Refuses a side that has more ids, from a
/// million on, than the lines have bytes.
ratings read_coordinates(line_cursor& at, const announced& sizes, value_column values);

}  // namespace finesync::inputs
