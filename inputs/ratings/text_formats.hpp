// Readers of the text formats for ratings. Each parses a text in one pass; `file` is its name in
// errors. Errors are input_errors with their line: invalid numbers or numbers out of range, values
// that are not finite floats, fewer or more entries than announced, a last line cut short. Lines
// may end in CRLF. Announced numbers that the length of the text does not support allocate nothing.
#pragma once

#include <inputs/ratings/ratings.hpp>

#include <string>
#include <string_view>

namespace finesync::inputs {

/// Detects which of the formats below the text of a file has, by its beginning. Any other file is
/// an input_error that names its apparent kind: a graph, compressed or binary data.
ratings parse_ratings(std::string_view bytes, const std::string& file);

/// MovieLens' ratings.dat: lines `user::item::rating::time`. Ids are any numbers up to 2^32 - 2;
/// the ids that occur are renumbered from 0 in ascending order. The format announces no sizes, so a
/// file cut off between two lines is not detected.
ratings parse_movielens(std::string_view text, const std::string& file);

/// KONECT's out.*: `% bip KIND`, optionally `% ENTRIES LEFTS RIGHTS` and other lines with %, then
/// lines `left right [value [time]]`, ids from 1. A missing value is 1. Without announced sizes the
/// largest ids count. For KIND `positive`, whose values count entries, the announced number may be
/// their sum. Graphs that are not bipartite (`sym`, `asym`) are rejected.
ratings parse_konect(std::string_view text, const std::string& file);

/// Matrix Market: coordinate, general, pattern (values are then 1), integer or real. Dense, complex
/// and symmetric matrices are rejected.
ratings parse_matrix_market(std::string_view text, const std::string& file);

}  // namespace finesync::inputs
