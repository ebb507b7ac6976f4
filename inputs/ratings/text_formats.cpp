// Which of the text formats it is.
#include <inputs/input_error.hpp>
#include <inputs/ratings/text_formats.hpp>

#include <algorithm>
#include <array>

namespace finesync::inputs {
namespace {

struct beginning {
  std::string_view bytes;
  const char* what;
};

// What people mistake for ratings, by how it begins.
constexpr std::array<beginning, 6> others{
    {{"\x1f\x8b", "it is compressed by gzip: unpack it first"},
     {"BZh", "it is compressed by bzip2: unpack it first"},
     {"\xfd\x37zXZ", "it is compressed by xz: unpack it first"},
     {"PK\x03\x04", "it is a zip archive: unpack it first"},
     {"c ", "it looks like a DIMACS graph"},
     {"p ", "it looks like a DIMACS graph"}}};

bool is_movielens(std::string_view text) {
  const auto after_id = text.find_first_not_of("0123456789");
  return after_id != 0 && after_id != std::string_view::npos &&
         text.substr(after_id).starts_with("::");
}

}  // namespace

ratings parse_ratings(std::string_view text, const std::string& file) {
  if (text.empty()) throw input_error(file, 1, "the file is empty");
  if (text.starts_with("%%")) return parse_matrix_market(text, file);
  if (text.starts_with('%')) return parse_konect(text, file);
  if (is_movielens(text)) return parse_movielens(text, file);
  for (const beginning& each : others)
    if (text.starts_with(each.bytes)) throw input_error(file, 1, each.what);
  if (std::ranges::count(text.substr(0, 4096), '\0') != 0)
    throw input_error(file, 1, "it is binary data, not a text with ratings");
  throw input_error(file, 1,
                    "it is none of MovieLens (user::item::rating::time), KONECT (begins with "
                    "'% bip') and Matrix Market (begins with '%%MatrixMarket')");
}

}  // namespace finesync::inputs
