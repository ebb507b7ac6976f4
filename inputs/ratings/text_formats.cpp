// Detection of the text format.
#include <inputs/input_error.hpp>
#include <inputs/ratings/text_formats.hpp>
#include <inputs/text.hpp>

#include <algorithm>

namespace finesync::inputs {
namespace {

bool is_movielens(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const auto after_id = text.find_first_not_of("0123456789");
  return after_id != 0 && after_id != std::string_view::npos &&
         text.substr(after_id).starts_with("::");
}

}  // namespace

ratings parse_ratings(std::string_view bytes, const std::string& file) {
  const std::string_view text = text_in(bytes, file);
  if (begins_with(text, "%%")) return parse_matrix_market(text, file);
  if (begins_with(text, "%")) return parse_konect(text, file);
  if (is_movielens(text)) return parse_movielens(text, file);
  if (begins_with(text, "c ") || begins_with(text, "p "))
    throw input_error(file, 1, "it looks like a DIMACS graph");
  if (std::ranges::count(text.substr(0, 4096), '\0') != 0)
    throw input_error(file, 1, "it is binary data, not a text with ratings");
  throw input_error(file, 1,
                    "it is none of MovieLens (user::item::rating::time), KONECT (begins with "
                    "'% bip') and Matrix Market (begins with '%%MatrixMarket')");
}

}  // namespace finesync::inputs
