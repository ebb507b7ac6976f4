#include <inputs/matrix_market.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace finesync::inputs {
namespace {

// Reads the next word of the banner in lower case, which must be one of these.
std::string one_of(line_cursor& at, const char* what, std::initializer_list<std::string_view> known,
                   std::initializer_list<std::string_view> known_to_scipy = {}) {
  at.skip_blanks();
  const std::string_view word = at.word();
  std::string found(word);
  for (char& c : found) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (std::ranges::count(known, found) + std::ranges::count(known_to_scipy, found) != 0)
    return found;
  at.fail(
      fmt::format("the {} must be {}, and is '{}'", what, fmt::join(known, " or "), shown(word)));
}

matrix_field read_field(line_cursor& at) {
  const std::string found =
      one_of(at, "field", {"pattern", "integer", "real"}, {"unsigned-integer", "double"});
  if (found == "pattern") return matrix_field::pattern;
  return found.ends_with("integer") ? matrix_field::integer : matrix_field::real;
}

}  // namespace

matrix_market_head read_matrix_market_head(line_cursor& at,
                                           std::initializer_list<std::string_view> symmetries) {
  one_of(at, "banner", {"%%matrixmarket"});
  one_of(at, "object", {"matrix"});
  one_of(at, "layout", {"coordinate"});
  matrix_market_head head{};
  head.field = read_field(at);
  head.is_symmetric = one_of(at, "symmetry", symmetries) == "symmetric";
  at.end_line();
  while (at.find_word() && at.next_is('%')) at.skip_line();

  head.rows = at.integer("a number of rows", 0, max_ids);
  at.skip_blanks();
  head.columns = at.integer("a number of columns", 0, max_ids);
  at.skip_blanks();
  head.entries = at.integer("a number of entries", 0, max_entries);
  if (head.entries != 0 && (head.rows == 0 || head.columns == 0))
    at.fail(fmt::format("{} rows and {} columns have no entries", head.rows, head.columns));
  at.end_line();
  return head;
}

}  // namespace finesync::inputs
