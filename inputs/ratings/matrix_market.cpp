// Matrix Market's coordinate format.
#include <inputs/matrix_market.hpp>
#include <inputs/ratings/coordinates.hpp>
#include <inputs/ratings/text_formats.hpp>

namespace finesync::inputs {

namespace {

value_column column_of(matrix_field field) {
  if (field == matrix_field::pattern) return value_column::absent;
  return field == matrix_field::integer ? value_column::integer : value_column::real;
}

}  // namespace

ratings parse_matrix_market(std::string_view text, const std::string& file) {
  line_cursor at(text, file);
  const matrix_market_head head = read_matrix_market_head(at, {"general"});
  return read_coordinates(at, {.entries = head.entries, .lefts = head.rows, .rights = head.columns},
                          column_of(head.field));
}

}  // namespace finesync::inputs
