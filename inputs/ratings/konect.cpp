// KONECT's out.*.
#include <inputs/ratings/coordinates.hpp>
#include <inputs/ratings/text_formats.hpp>

#include <fmt/format.h>

namespace finesync::inputs {
namespace {

// `ENTRIES LEFTS RIGHTS`, unless the line is a comment.
void read_sizes(line_cursor& at, announced& sizes) {
  const std::string_view next = line_cursor(at).word();
  if (next.find_first_of("-0123456789") != 0) return at.skip_line();
  sizes.entries = at.integer("a number of entries", 1, max_entries);
  at.skip_blanks();
  sizes.lefts = at.integer("a number of lefts", 1, max_ids);
  at.skip_blanks();
  sizes.rights = at.integer("a number of rights", 1, max_ids);
  at.end_line();
}

}  // namespace

ratings parse_konect(std::string_view text, const std::string& file) {
  line_cursor at(text, file);
  announced sizes;
  at.skip_blanks();
  at.expect("%");
  at.skip_blanks();
  const std::string_view kind = at.word();
  if (kind != "bip")
    at.fail(fmt::format("expected '% bip', found '{}': only bipartite graphs have ratings",
                        shown(kind)));
  at.skip_blanks();
  sizes.sum_is_entries = at.word() == "positive";
  at.skip_line();
  if (at.find_word() && at.next_is('%')) {
    at.expect("%");
    at.skip_blanks();
    read_sizes(at, sizes);
  }
  while (at.find_word() && at.next_is('%')) at.skip_line();
  return read_coordinates(at, sizes, value_column::optional);
}

}  // namespace finesync::inputs
