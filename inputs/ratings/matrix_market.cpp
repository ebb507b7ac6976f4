// Matrix Market's coordinate format.
#include <inputs/ratings/coordinates.hpp>
#include <inputs/ratings/text_formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace finesync::inputs {
namespace {

// The next word of the banner in lower case, which must be one of these.
std::string one_of(line_cursor& at, const char* what,
                   std::initializer_list<std::string_view> known) {
  at.skip_blanks();
  const std::string_view word = at.word();
  std::string found(word);
  for (char& c : found) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::ranges::count(known, found) != 0) return found;
  at.fail(
      fmt::format("the {} must be {}, and is '{}'", what, fmt::join(known, " or "), shown(word)));
}

}  // namespace

ratings parse_matrix_market(std::string_view text, const std::string& file) {
  line_cursor at(text, file);
  one_of(at, "banner", {"%%matrixmarket"});
  one_of(at, "object", {"matrix"});
  one_of(at, "layout", {"coordinate"});
  const std::string field = one_of(at, "field", {"pattern", "integer", "real"});
  one_of(at, "symmetry", {"general"});
  at.end_line();
  while (at.next_is('%') || (at.at_line_end() && !at.at_end())) at.skip_line();

  announced sizes;
  sizes.lefts = at.integer("a number of rows", 1, most_ids);
  at.skip_blanks();
  sizes.rights = at.integer("a number of columns", 1, most_ids);
  at.skip_blanks();
  sizes.entries = at.integer("a number of entries", 1, most_entries);
  at.end_line();
  return read_coordinates(at, sizes,
                          field == "pattern" ? value_column::absent : value_column::required);
}

}  // namespace finesync::inputs
