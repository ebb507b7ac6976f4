// Detection of the text format.
#include <inputs/input_error.hpp>
#include <inputs/packed.hpp>
#include <inputs/ratings/text_formats.hpp>

#include <algorithm>

namespace finesync::inputs {
namespace {

bool is_movielens(std::string_view text) {
  const auto after_id = text.find_first_not_of("0123456789");
  return after_id != 0 && after_id != std::string_view::npos &&
         text.substr(after_id).starts_with("::");
}

}  // namespace

ratings parse_ratings(std::string_view text, const std::string& file) {
  refuse_packed(text, file);
  if (text.starts_with("%%")) return parse_matrix_market(text, file);
  if (text.starts_with('%')) return parse_konect(text, file);
  if (is_movielens(text)) return parse_movielens(text, file);
  if (text.starts_with("c ") || text.starts_with("p "))
    throw input_error(file, 1, "it looks like a DIMACS graph");
  if (std::ranges::count(text.substr(0, 4096), '\0') != 0)
    throw input_error(file, 1, "it is binary data, not a text with ratings");
  throw input_error(file, 1,
                    "it is none of MovieLens (user::item::rating::time), KONECT (begins with "
                    "'% bip') and Matrix Market (begins with '%%MatrixMarket')");
}

}  // namespace finesync::inputs
