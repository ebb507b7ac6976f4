// What KONECT and Matrix Market have in common: announced sizes, then a line per entry.
#pragma once

#include <inputs/line_cursor.hpp>
#include <inputs/ratings/ratings.hpp>

#include <cstdint>
#include <limits>
#include <optional>

namespace finesync::inputs {

/// As many lefts or rights as 32 bits can number, one number left over.
constexpr std::uint64_t most_ids = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_entries = std::uint64_t{1} << 40;

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
