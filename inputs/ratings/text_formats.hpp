// Readers of the text formats that ratings come in. All parse one text in one pass; `file` is
// what errors call it. Whatever is wrong is an input_error of the line it is in: numbers that are
// none or out of range, values that are not finite floats, fewer or more entries than announced,
// a last line cut short. Lines may end in CRLF. Nothing is allocated by an announced number that
// the length of the text does not bear out.
#pragma once

#include <inputs/ratings/ratings.hpp>

#include <string>
#include <string_view>

namespace finesync::inputs {

/// Whichever of the formats below the text is in, told by how it begins. What is in none of them
/// is an input_error, which names what it looks like: a graph, compressed or binary data.
ratings parse_ratings(std::string_view text, const std::string& file);

/// MovieLens' ratings.dat: lines `user::item::rating::time`. Ids are any numbers up to 2^32 - 2;
/// those that occur are renumbered from 0 in their order. The format announces no sizes: what was
/// cut off between two lines does not show.
ratings parse_movielens(std::string_view text, const std::string& file);

/// KONECT's out.*: `% bip KIND`, perhaps `% ENTRIES LEFTS RIGHTS` and other lines with %, then
/// lines `left right [value [time]]`, ids from 1. Without a value it is 1. Without announced
/// sizes they are the largest ids. Of KIND `positive`, whose values count entries, their sum may
/// be what is announced. Graphs that are not bipartite (`sym`, `asym`) are refused.
ratings parse_konect(std::string_view text, const std::string& file);

/// Matrix Market: coordinate, general, pattern (values are then 1), integer or real; refused are
/// dense, complex and symmetric matrices.
ratings parse_matrix_market(std::string_view text, const std::string& file);

}  // namespace finesync::inputs
